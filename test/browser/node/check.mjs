/*
 * check.mjs BROWSER PAGE...: every page under playwright-core: axe-core's default rules in light and dark, wide and narrow;
 * html-validate's recommended rules; no request, no console message; every figure alive and reachable by keys. TAP.
 *
 * Run from the directory that holds node_modules (see install).
 */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(resolve('package.json'));
const { chromium } = require('playwright-core');
const { HtmlValidate } = require('html-validate');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [program, ...pages] = process.argv.slice(2);
let number = 0, failed = 0;
const check = (name, why) => {
	number++;
	failed += !!why;
	console.log(`${why ? 'not ' : ''}ok ${number} ${name}`);
	if (why) console.log('# ' + why.slice(0, 1500).replaceAll('\n', '\n# '));
};

const LOOKS = [
	{ name: 'light', colorScheme: 'light', viewport: { width: 1240, height: 900 } },
	{ name: 'dark', colorScheme: 'dark', viewport: { width: 1240, height: 900 } },
	{ name: 'narrow', colorScheme: 'light', viewport: { width: 400, height: 800 } },
];

/* All that is folded is opened, and all pictures come alive by being looked at. */
const wake = page => page.evaluate(async () => {
	document.querySelectorAll('details').forEach(d => { d.open = true; });
	for (const f of document.querySelectorAll('figure.chart')) {
		f.scrollIntoView();
		for (let i = 0; i < 5000 && !f.pario; i++) await new Promise(r => setTimeout(r, 20));
	}
	return [...document.querySelectorAll('figure.chart')].filter(f => !f.pario).length;
});

const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'], timeout: 200000 });
for (const path of pages) {
	const name = basename(path, '.html'), trouble = [];
	for (const look of LOOKS) {
		const page = await browser.newPage(look);
		page.on('console', m => trouble.push(m.text()));
		page.on('pageerror', e => trouble.push(String(e)));
		page.on('request', r => { if (!r.url().startsWith('file:') && !r.url().startsWith('blob:')) trouble.push(r.url()); });
		await page.goto(pathToFileURL(resolve(path)).href, { timeout: 200000 });
		const asleep = await wake(page);
		if (asleep) trouble.push(asleep + ' pictures did not come alive');
		await page.evaluate(axe);
		const found = await page.evaluate(() => window.axe.run());
		check(`${name}, ${look.name}: axe finds nothing (${found.passes.length} rules passed)`, found.violations
			.map(v => `${v.id} (${v.impact}), ${v.nodes.length} times: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`).join('\n'));
		const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		check(`${name}, ${look.name}: nothing sticks out at the side`, wide > 0 ? wide + ' pixels' : '');
		await page.close();
	}
	check(`${name}: no console message, no request, every picture alive`, trouble.join('\n'));
	const report = await new HtmlValidate({ extends: ['html-validate:recommended'] })
		.validateString(readFileSync(path, 'utf8'));
	check(`${name}: html-validate finds nothing`, report.results.flatMap(r => r.messages)
		.map(m => `${m.line}: ${m.ruleId}: ${m.message}`).slice(0, 10).join('\n'));
}
await browser.close();
console.log(`1..${number}`);
process.exit(failed ? 1 : 0);
