'use strict';
/*
 * The report page comes alive. Without this script the page is complete: C has written every table and picture.
 * With it, pictures can be zoomed, asked and changed in scale, series can be hidden, tables sorted and saved.
 * Text from the journals only ever becomes textContent.
 */
(() => {
	const SVG = 'http://www.w3.org/2000/svg';
	const LINE = 0, BAR = 1, HEAT = 2, BOX = 3, SPAN = 4;
	const LINEAR = 0, LOG = 1, CATEGORY = 2, CUSTOM = 3;
	const SUSPECT = 1, FAILED = 2, GUIDE = 1, POINTS = 2;

	const fill = (e, attributes, text) => {
		for (const k in attributes) e.setAttribute(k, attributes[k]);
		if (text !== undefined) e.textContent = text;
		return e;
	};
	const svg = (name, attributes, text) => fill(document.createElementNS(SVG, name), attributes, text);
	const html = (name, attributes, text) => fill(document.createElement(name), attributes, text);
	const num = v => v !== null && v !== undefined && isFinite(v);

	/* ---- numbers as the program writes them ---- */

	const digits = v => {
		const a = Math.abs(v);
		const s = a === 0 ? '0' : a >= 1000 ? a.toFixed(0) : String(+a.toPrecision(4));
		const [whole, part] = s.split('.');
		const grouped = whole.length > 3 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u2009') : whole;
		return (v < 0 ? '-' : '') + grouped + (part ? '.' + part : '');
	};
	const scaled = (v, base, units) => {
		let i = 0;
		while (Math.abs(v) >= base && i < units.length - 1) { v /= base; i++; }
		return +v.toPrecision(4) + (units[i] ? ' ' + units[i] : '');
	};
	const time = s => {
		if (s === 0) return '0 s';
		const a = Math.abs(s);
		if (a < 1e-6) return +(s * 1e9).toPrecision(3) + ' ns';
		if (a < 1e-3) return +(s * 1e6).toPrecision(3) + ' us';
		if (a < 1) return +(s * 1e3).toPrecision(3) + ' ms';
		if (a < 60) return +s.toPrecision(3) + ' s';
		return Math.floor(s / 60) + ' min ' + Math.round(s % 60) + ' s';
	};
	const label = (axis, v) => {
		if (axis.scale === CATEGORY || axis.scale === CUSTOM) {
			const t = axis.ticks.find(k => k[0] === v);
			if (t && t[2] !== null) return t[2];
		}
		if (!num(v)) return '–';
		if (axis.format === 1) return scaled(v, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']);
		if (axis.format === 2) return time(v);
		if (axis.format === 3) return new Date(v * 1000).toISOString().slice(0, 16).replace('T', ' ');
		return Math.abs(v) >= 1e6 ? scaled(v, 1000, ['', 'k', 'M', 'G', 'T']) : digits(v);
	};

	/* ---- scales ---- */

	const step = (span, wanted) => {
		const raw = span / wanted, power = Math.pow(10, Math.floor(Math.log10(raw))), part = raw / power;
		return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
	};

	/* A scale over values, or over a window [from, to] that the reader has chosen. */
	const scale = (axis, kind, values, window, own) => {
		const s = { axis, kind, own: [...new Set((own || []).filter(num))].sort((a, b) => a - b) };
		if (kind === CATEGORY) {
			[s.min, s.max] = [-0.5, Math.max(1, axis.ticks.length) - 0.5];
		} else if (kind === CUSTOM) {
			[s.min, s.max] = [axis.ticks[0][0], axis.ticks[axis.ticks.length - 1][0]];
		} else {
			const usable = values.filter(v => num(v) && (kind !== LOG || v > 0));
			[s.min, s.max] = [Infinity, -Infinity];
			for (const v of usable) { if (v < s.min) s.min = v; if (v > s.max) s.max = v; }
			if (s.min > s.max) s.min = s.max = 1;
			if (kind === LOG) {
				const room = s.min === s.max ? 2 : Math.pow(s.max / s.min, 0.03);
				[s.min, s.max] = [s.min / room, s.max * room];
			} else {
				if (axis.zero) { s.min = Math.min(s.min, 0); s.max = Math.max(s.max, 0); }
				if (s.min === s.max) {
					s.min -= s.min === 0 || axis.zero ? 0 : Math.abs(s.min) / 2;
					s.max += s.max === 0 ? 1 : Math.abs(s.max) / 2;
				}
				const by = step(s.max - s.min, 5);
				if (axis.zero && s.max > 0) s.max = Math.ceil(s.max / by * 1.02) * by;
			}
		}
		if (window) [s.min, s.max] = window;
		/* From a value to its place (0, 1) or back (1, 0), between the anchors of an axis of several scales. */
		const between = (v, from, to) => {
			for (let i = 1; i < axis.ticks.length; i++) {
				const a = axis.ticks[i - 1], b = axis.ticks[i];
				if (v >= a[from] && v <= b[from] && b[from] > a[from]) return a[to] + (b[to] - a[to]) * (v - a[from]) / (b[from] - a[from]);
			}
			return NaN;
		};
		const ends = kind === CUSTOM ? window ? [between(s.min, 0, 1), between(s.max, 0, 1)] : [0, 1] : null;
		s.place = v => {
			if (!num(v)) return NaN;
			if (kind === CUSTOM) return (between(v, 0, 1) - ends[0]) / (ends[1] - ends[0]);
			if (kind === LOG) return v > 0 ? Math.log(v / s.min) / Math.log(s.max / s.min) : NaN;
			return (v - s.min) / (s.max - s.min);
		};
		const edge = v => Math.max(axis.ticks[0][1], Math.min(axis.ticks[axis.ticks.length - 1][1], v));
		s.at = p => kind === CUSTOM ? between(edge(ends[0] + (ends[1] - ends[0]) * p), 1, 0) : kind === LOG ? s.min * Math.pow(s.max / s.min, p) : s.min + (s.max - s.min) * p;
		s.ticks = wanted => {
			const found = [], inside = v => v >= s.min - 1e-9 * Math.abs(s.min) && v <= s.max * (1 + 1e-9);
			if (kind === CATEGORY || kind === CUSTOM)
				return axis.ticks.filter(t => t[2] !== null && t[0] >= s.min && t[0] <= s.max).map(t => t[0]);
			const own = s.own.length < 9 ? s.own.filter(v => inside(v) && (kind !== LOG || v > 0)) : [];
			if (own.length > (window ? 1 : 0)) return own;
			if (kind === LOG) {
				const base = axis.format === 1 ? 2 : 10, b = Math.log(base);
				const first = Math.floor(Math.log(s.min) / b + 1e-9), last = Math.log(s.max) / b;
				const by = Math.max(1, Math.ceil((last - first) / wanted));
				const span = last - Math.log(s.min) / b;
				const fine = base !== 10 || span >= 2.5 ? [1] : span < 0.7 ? [1, 1.5, 2, 3, 4, 5, 6, 8] : [1, 2, 5];
				for (let e = first; e <= last + 1e-9; e += by)
					for (const m of fine) { const v = m * Math.pow(base, e); if (inside(v)) found.push(v); }
				return found;
			}
			const by = step(s.max - s.min, wanted);
			for (let i = Math.ceil(s.min / by - 1e-9); i * by <= s.max + by * 1e-9 && found.length < 64; i++) found.push(i * by);
			return found;
		};
		return s;
	};

	/* ---- marks: arrays as C wrote them ---- */

	const X = 0, Y = 1, LOW = 2, HIGH = 3, Z = 4, X2 = 5, Y2 = 6, FLAGS = 7, SAMPLES = 8, Q = 9;
	const word = m => m[FLAGS] & FAILED ? 'failed' : m[FLAGS] & SUSPECT ? 'suspect' : '';

	/* A number is the mark that has the same note. */
	const note = (s, k) => { let n = s.notes[k]; while (typeof n === 'number') n = s.notes[n]; return n; };

	const describe = (c, s, k) => {
		const m = s.marks[k], lines = [s.name];
		const unit = a => a.unit ? ' ' + a.unit : '';
		if (c.kind === HEAT) {
			lines[0] = label(c.y, m[Y]);
			lines.push((c.x.title ? c.x.title + ' ' : '') + label(c.x, m[X]));
			lines.push(num(m[Z]) ? digits(m[Z]) + ' ' + (c.zUnit || '') : '–');
		} else if (c.kind === BOX) {
			lines[0] = label(c.y, m[Y]);
			c.quantiles.forEach((q, i) => lines.push(q + ' ' + label(c.x, m[Q + i]) + unit(c.x)));
		} else if (c.kind === SPAN) {
			if (c.lanes) lines[0] = label(c.y, m[Y]) + ', ' + s.name;
			lines.push(label(c.x, m[X]) + ' to ' + label(c.x, m[X2]) + unit(c.x));
		} else {
			lines.push((c.x.title ? c.x.title + ' ' : '') + label(c.x, m[X]) + unit(c.x));
			lines.push(label(c.y, m[Y]) + unit(c.y));
			if (num(m[LOW]) && num(m[HIGH]))
				lines.push(label(c.y, m[LOW]) + ' to ' + label(c.y, m[HIGH]) + (m[SAMPLES] ? ', ' + m[SAMPLES] + ' repetitions' : ''));
		}
		if (word(m)) lines.push(word(m));
		if (note(s, k)) lines.push(note(s, k));
		return lines.join('\n');
	};

	/* ---- a live picture ---- */

	class Chart {
		constructor(figure) {
			[this.figure, this.hidden] = [figure, new Set()];
			this.data = JSON.parse(figure.querySelector('script').textContent);
			if (figure.querySelector('noscript')) this.makeTable();
			this.plot = figure.querySelector('.plot');
			[, , this.most, this.h] = this.plot.getAttribute('viewBox').split(' ').map(Number);
			const c = this.data, bars = c.kind === BAR;
			[this.hAxis, this.vAxis] = bars ? [c.y, c.x] : [c.x, c.y];
			[this.hKind, this.vKind] = [this.hAxis.scale, this.vAxis.scale];
			[this.window, this.focus] = [null, -1];
			this.plot.setAttribute('tabindex', '0');
			this.makeLegend();
			this.makeTools();
			this.listen();
			new ResizeObserver(() => this.fit()).observe(this.plot);
			this.fit();
		}

		/* On a narrow screen the picture is drawn narrower, so that its letters stay readable. */
		fit() {
			const w = Math.min(this.most, Math.max(280, this.plot.clientWidth || this.most));
			if (w === this.w) return;
			this.plot.setAttribute('viewBox', '0 0 ' + (this.w = w) + ' ' + this.h);
			this.draw();
		}

		/* The numbers behind a picture that was not drawn before: a table when it is asked for. */
		makeTable() {
			const d = html('details'), box = html('div', { class: 'wide' });
			d.append(html('summary', {}, 'The numbers'), box);
			d.addEventListener('toggle', () => {
				if (!d.open || box.firstChild) return;
				const table = html('table'), [head, ...rows] = this.csv(true);
				const line = (cells, name) => { const tr = html('tr'); tr.append(...cells.map(c => fill(html(name), name === 'th' ? { scope: 'col' } : {}, c))); return tr; };
				table.append(html('thead'), html('tbody'));
				table.tHead.append(line(head, 'th'));
				for (const r of rows) {
					const tr = line(r.map(c => c[0]), 'td');
					r.forEach((c, i) => { if (c.length > 1) { tr.cells[i].className = 'n'; if (num(c[1])) tr.cells[i].dataset.v = c[1]; } });
					if (/^(suspect|failed)/.test(r[r.length - 1][0])) tr.className = r[r.length - 1][0].match(/^\w+/)[0];
					table.tBodies[0].append(tr);
				}
				box.append(table);
				stack(table), sortable(table), stops();
			});
			this.figure.append(d);
		}

		makeLegend() {
			const legend = this.figure.querySelector('.legend');
			if (!legend || this.data.series.length < 2) return;
			const keys = this.data.series.map((s, i) => i).filter(i => this.data.series[i].like === undefined);
			[...legend.children].forEach((li, at) => {
				const i = keys[at];
				const b = html('button', { type: 'button', 'aria-pressed': 'true' });
				b.append(...li.childNodes);
				li.append(b);
				b.addEventListener('click', () => {
					if (!this.hidden.delete(i)) this.hidden.add(i);
					b.setAttribute('aria-pressed', String(!this.hidden.has(i)));
					this.draw();
				});
			});
		}

		makeTools() {
			const tools = html('div', { class: 'tools', role: 'group', 'aria-label': 'Change this picture' });
			const add = (text, act, pressed) => {
				const b = html('button', { type: 'button' }, text);
				if (pressed !== undefined) b.setAttribute('aria-pressed', String(pressed));
				b.addEventListener('click', () => act(b));
				tools.append(b);
				return b;
			};
			const toggle = (key, text) => {
				if (this[key] !== LINEAR && this[key] !== LOG) return;
				add(text + ': log', b => {
					this[key] = this[key] === LOG ? LINEAR : LOG;
					this.window = null;
					b.setAttribute('aria-pressed', String(this[key] === LOG));
					this.draw();
				}, this[key] === LOG);
			};
			if (this.data.kind !== HEAT && this.data.kind !== SPAN) {
				const name = (axis, other) => axis.title && axis.title.length < 24 ? axis.title : other;
				toggle('vKind', name(this.vAxis, 'upright'));
				toggle('hKind', name(this.hAxis, 'across'));
			}
			if (this.hKind !== CATEGORY) {
				add('zoom in', () => this.zoom(0.5));
				this.reset = add('whole', () => { this.window = null; this.draw(); });
			}
			add('CSV', () => save(this.csv(), (this.data.title || 'chart') + '.csv'));
			this.plot.before(tools);
		}

		isHidden(i) { return this.hidden.has(i) || this.hidden.has(this.data.series[i].like); }

		values(which) {
			const out = [], c = this.data;
			c.series.forEach((s, i) => {
				if (this.isHidden(i)) return;
				for (const m of s.marks) {
					if (c.kind === BAR) { if (which === 'h') out.push(m[Y], m[LOW], m[HIGH]); }
					else if (c.kind === BOX) { if (which === 'h') out.push(m[X]); if (which === 'h') for (let k = Q; k < m.length; k++) out.push(m[k]); }
					else if (c.kind === SPAN) which === 'h' ? out.push(m[X], m[X2]) : out.push(m[Y], m[Y2]);
					else if (which === 'h') out.push(m[X]);
					else if (!this.window || (m[X] >= this.window[0] && m[X] <= this.window[1])) out.push(m[Y], m[LOW], m[HIGH]);
				}
			});
			return out;
		}

		draw() {
			const c = this.data;
			this.rows = this.vAxis.scale === CATEGORY || (c.kind === SPAN && !this.vAxis.zero);
			this.hs = scale(this.hAxis, this.hKind, this.values('h'), this.window, c.kind === LINE && c.series.flatMap(s => s.flags & GUIDE ? [] : s.marks.map(m => m[X])));
			this.vs = scale(this.vAxis, this.vKind, this.values('v'));
			const widest = this.vs.ticks(5).reduce((n, v) => Math.max(n, [...label(this.vAxis, v)].length), 3);
			this.left = Math.min(widest * 7 + (this.vKind === CATEGORY ? 14 : 32), this.w > 600 ? 440 : 220, this.w * 0.45);
			this.top = 14;
			this.width = this.w - 18 - this.left - (c.kind === BAR ? 63 : 0);
			this.height = this.h - 14 - 46;
			const root = document.createDocumentFragment();
			[this.hits, this.questions] = [[], []];
			root.append(this.axes());
			const clip = 'clip' + this.figure.id;
			const def = svg('clipPath', { id: clip });
			def.append(svg('rect', { x: this.left - 6, y: 0, width: this.width + 12 + (c.kind === BAR ? 63 : 0), height: this.top + this.height + 1 }));
			root.append(def);
			const marks = svg('g', this.window ? { 'clip-path': 'url(#' + clip + ')' } : {});
			c.series.forEach((s, i) => { if (!this.isHidden(i)) marks.append(this.series(s, i)); });
			marks.append(...this.questions);
			root.append(marks);
			this.cursor = svg('circle', { class: 'near', r: 7, visibility: 'hidden' });
			root.append(this.cursor);
			this.plot.replaceChildren(root);
			if (this.reset) this.reset.disabled = !this.window;
		}

		px(v) { return this.left + this.width * this.hs.place(v); }
		py(v) { const p = this.vs.place(v); return this.top + this.height * (this.rows ? p : 1 - p); }

		axes() {
			const g = svg('g', { class: 'axes', 'aria-hidden': 'true' }), bottom = this.top + this.height;
			let free = -Infinity;
			for (const v of this.hs.ticks(7)) {
				const x = this.px(v), text = label(this.hAxis, v), half = [...text].length * 3.5;
				if (this.hKind !== CATEGORY) g.append(svg('line', { class: 'grid', x1: x, y1: this.top, x2: x, y2: bottom }));
				if (x - half < free) continue;
				g.append(svg('text', { class: 'tick mid', x, y: bottom + 16 }, text));
				free = x + half + 7;
			}
			const most = Math.floor((this.left - 10) / 7);
			for (const v of this.vs.ticks(5)) {
				const y = this.py(v), letters = [...label(this.vAxis, v)];
				if (this.vKind !== CATEGORY) g.append(svg('line', { class: 'grid', x1: this.left, y1: y, x2: this.left + this.width, y2: y }));
				g.append(svg('text', { class: 'tick end', x: this.left - 6, y: y + 4 }, letters.length > most ? letters.slice(0, most - 1).join('') + '…' : letters.join('')));
			}
			const title = (axis, kind) => (axis.title || '') + (axis.unit ? ', ' + axis.unit : '') + (kind === LOG ? ' (logarithmic)' : '');
			g.append(svg('text', { class: 'title mid', x: this.left + this.width / 2, y: this.h - 8 }, title(this.hAxis, this.hKind)));
			if (this.vKind !== CATEGORY)
				g.append(svg('text', { class: 'title mid', transform: 'translate(12 ' + (this.top + this.height / 2) + ') rotate(-90)' }, title(this.vAxis, this.vKind)));
			return g;
		}

		classOf(s) {
			if (s.flags & GUIDE && s.like === undefined) return 'guide';
			const c = s.like === undefined ? s.c : this.data.series[s.like].c;
			return (s.flags & GUIDE ? 'guide own' : 'series') + ' s' + c % 8 + ' d' + (c / 8 | 0) % 4;
		}

		hit(i, k, x, y) { if (x > this.left - 7 && x < this.left + this.width + 7) this.hits.push({ i, k, x, y }); }

		series(s, i) {
			const kind = this.data.kind;
			const g = svg('g', { class: this.classOf(s) });
			if (kind === LINE) this.lines(g, s, i);
			else s.marks.forEach((m, k) => this[['', 'bar', 'cell', 'box', 'span'][kind]](g, s, i, m, k));
			return g;
		}

		lines(g, s, i) {
			const order = s.marks.map((m, k) => k).sort((a, b) => s.marks[a][X] - s.marks[b][X]);
			let path = '', spread = '', open = false;
			for (const k of order) {
				const m = s.marks[k], x = this.px(m[X]), y = this.py(m[Y]);
				if (!isFinite(x) || !isFinite(y)) { open = false; continue; }
				path += (open ? 'L' : 'M') + x.toFixed(1) + ' ' + y.toFixed(1);
				open = true;
				const low = this.py(m[LOW]), high = this.py(m[HIGH]);
				if (low - high > 1) spread += 'M' + (x - 3).toFixed(1) + ' ' + low.toFixed(1) + 'h6m-3 0V' + high.toFixed(1) + 'm-3 0h6';
			}
			if (spread) g.append(svg('path', { class: 'spread', d: spread }));
			if (!(s.flags & POINTS)) g.append(svg('path', { class: 'line', d: path }));
			if (s.flags & GUIDE) return;
			for (const k of order) {
				const m = s.marks[k], failed = m[FLAGS] & FAILED;
				const x = this.px(m[X]), y = failed ? this.top + this.height - 6 : this.py(m[Y]);
				if (!isFinite(x) || !isFinite(y)) continue;
				g.append(svg('use', { class: 'dot ' + word(m), href: failed ? '#kx' : '#k' + s.c % 4, x, y }));
				if (m[FLAGS] === SUSPECT) this.questions.push(svg('text', { class: 'doubt mid', x, y: y - 8 }, '?'));
				this.hit(i, k, x, y);
			}
		}

		bar(g, s, i, m, k) {
			const row = this.height / Math.max(1, this.data.x.ticks.length), n = this.data.series.length;
			const each = (row - 8) / n, top = this.top + row * m[X] + 4 + each * i + 1, tall = each - 2, to = this.px(m[Y]);
			if (!isFinite(to)) {
				if (m[FLAGS] & FAILED) g.append(svg('use', { class: 'dot failed', href: '#kx', x: this.left + 8, y: top + tall / 2 }));
				this.hit(i, k, this.left + 8, top + tall / 2);
				return;
			}
			const zero = this.hKind === LINEAR ? Math.max(this.left, this.px(0)) : this.left;
			g.append(svg('rect', { class: 'bar ' + word(m), x: Math.min(zero, to), y: top, width: Math.max(1, Math.abs(to - zero)), height: tall }));
			const low = this.px(m[LOW]), high = this.px(m[HIGH]);
			let end = Math.max(zero, to);
			if (high - low > 2) {
				g.append(svg('path', { class: 'spread', d: 'M' + low + ' ' + (top + tall / 2 - 3) + 'v6m0 -3H' + high + 'm0 -3v6' }));
				end = Math.max(end, high);
			}
			g.append(svg('text', { class: 'value', x: end + 5, y: top + tall / 2 + 4 }, label(this.data.y, m[Y]) + (m[FLAGS] & SUSPECT ? ' ?' : '')));
			this.hit(i, k, to, top + tall / 2);
		}

		heatStep(z) {
			if (!this.zRange && this.data.zRange[1] > this.data.zRange[0]) this.zRange = this.data.zRange;
			if (!this.zRange) {
				const all = this.data.series.flatMap(s => s.marks.map(m => m[Z])).filter(v => num(v) && (!this.data.zLog || v > 0));
				this.zRange = [all.reduce((a, b) => Math.min(a, b), Infinity), all.reduce((a, b) => Math.max(a, b), -Infinity)];
			}
			const [low, high] = this.zRange;
			if (!num(z) || (this.data.zLog && z <= 0)) return 9;
			if (!(high > low)) return 4;
			const p = this.data.zLog ? Math.log(z / low) / Math.log(high / low) : (z - low) / (high - low);
			return Math.max(0, Math.min(8, Math.floor(p * 9)));
		}

		cell(g, s, i, m, k) {
			const w = this.width / Math.max(1, this.data.x.ticks.length), h = this.height / Math.max(1, this.data.y.ticks.length);
			const x = this.left + w * m[X], y = this.top + h * m[Y];
			const c = svg('g', { class: 'cell h' + this.heatStep(m[Z]) + ' ' + word(m) });
			const gap = w < 8 ? 0 : 1;
			c.append(svg('rect', { x: x + gap, y: y + gap, width: w - 2 * gap, height: h - 2 }));
			/* Colour alone where there is no room for a number. */
			const text = m[FLAGS] & FAILED ? '×' : w < 28 || h < 14 ? '' : num(m[Z]) ? (m[Z] >= 1e4 ? scaled(m[Z], 1000, ['', 'k', 'M', 'G']) : digits(m[Z])) : '–';
			c.append(svg('text', { class: 'mid', x: x + w / 2, y: y + h / 2 + 4 }, text + (m[FLAGS] & SUSPECT ? ' ?' : '')));
			g.append(c);
			this.hit(i, k, x + w / 2, y + h / 2);
		}

		box(g, s, i, m, k) {
			const c = this.data, n = c.quantiles.length, y = this.py(m[Y]), q = j => this.px(m[Q + j]);
			if (s.flags & GUIDE) {
				if (isFinite(this.px(m[X]))) g.append(svg('path', { class: 'line', d: 'M' + this.px(m[X]) + ' ' + this.top + 'V' + (this.top + this.height) }));
				return;
			}
			if (!isFinite(q(0)) || !isFinite(q(n - 1))) return;
			const mark = c.box[0] === c.box[1] ? 2.5 : 0;
			const b = svg('g', { class: 'box ' + word(m) });
			b.append(svg('path', { class: 'whisker', d: 'M' + q(0) + ' ' + (y - 4) + 'v8m0 -4H' + q(n - 1) + 'm0 -4v8' }));
			b.append(svg('rect', { class: 'bar', x: q(c.box[0]) - mark, y: y - 7, width: Math.max(1.5, q(c.box[1]) - q(c.box[0]) + 2 * mark), height: 14 }));
			for (let j = 1; j + 1 < n && !mark; j++) if (isFinite(q(j))) b.append(svg('path', { class: 'notch', d: 'M' + q(j) + ' ' + (y - 7) + 'v14' }));
			if (m[FLAGS] & SUSPECT) b.append(svg('text', { class: 'doubt', x: q(n - 1) + 4, y: y + 4 }, '?'));
			g.append(b);
			this.hit(i, k, q(c.box[0]), y);
		}

		span(g, s, i, m, k) {
			const rows = this.data.y.scale === CATEGORY;
			const x1 = this.px(m[X]), x2 = this.px(m[X2]);
			const lane = rows && this.data.lanes, part = v => this.py(m[Y] - 0.42 + 0.84 * v);
			const y1 = lane ? part(m[LOW]) : this.py(rows ? m[Y] - 0.35 : m[Y]), y2 = lane ? part(m[HIGH]) : this.py(rows ? m[Y] + 0.35 : m[Y2]);
			const w = Math.abs(x2 - x1), h = Math.abs(y2 - y1), x = Math.min(x1, x2), y = Math.min(y1, y2);
			if (!isFinite(w) || !isFinite(h)) return;
			g.append(svg('rect', { class: (lane ? 'span lane ' : 'span ') + word(m), x, y, width: Math.max(w, 0.8), height: h }));
			if (!rows && w > 7 * s.name.length && h > 14)
				g.append(svg('text', { class: 'name mid', x: x + w / 2, y: y + h / 2 + 4 }, s.name));
			this.hit(i, k, x + w / 2, y + h / 2);
		}

		/* ---- pointer and keys ---- */

		spot(e) {
			const r = this.plot.getBoundingClientRect();
			return { x: (e.clientX - r.left) * this.w / r.width, y: (e.clientY - r.top) * this.h / r.height };
		}

		show(n) {
			const tip = this.tip || (this.tip = this.figure.appendChild(html('div', { class: 'tip', role: 'status', hidden: '' })));
			this.focus = n;
			tip.hidden = n < 0;
			this.cursor.setAttribute('visibility', n < 0 ? 'hidden' : 'visible');
			if (n < 0) return;
			const h = this.hits[n], r = this.plot.getBoundingClientRect(), f = this.figure.getBoundingClientRect();
			fill(this.cursor, { cx: h.x, cy: h.y });
			tip.textContent = describe(this.data, this.data.series[h.i], h.k);
			const x = r.left - f.left + h.x * r.width / this.w, y = r.top - f.top + h.y * r.height / this.h;
			tip.style.left = Math.max(0, Math.min(x + 14, f.width - tip.offsetWidth)) + 'px';
			tip.style.top = y + 14 + 'px';
		}

		nearest(p, reach) {
			let best = -1, least = reach;
			this.hits.forEach((h, n) => { const d = Math.hypot(h.x - p.x, h.y - p.y); if (d < least) [least, best] = [d, n]; });
			return best;
		}

		zoom(share, around) {
			if (this.hKind === CATEGORY) return;
			const from = Math.max(0, Math.min(1 - share, (around === undefined ? 0.5 : around) - share / 2));
			this.window = [this.hs.at(from), this.hs.at(from + share)];
			this.draw();
		}

		listen() {
			const p = this.plot;
			let from = null, brush = null;
			p.addEventListener('pointerdown', e => { if (e.button === 0 && this.hKind !== CATEGORY) from = this.spot(e); });
			p.addEventListener('pointermove', e => {
				const at = this.spot(e);
				if (from && Math.abs(at.x - from.x) > 6) {
					if (!brush) {
						p.append(brush = svg('rect', { class: 'brush', y: this.top, height: this.height }));
						p.setPointerCapture(e.pointerId);
						this.show(-1);
					}
					fill(brush, { x: Math.min(from.x, at.x), width: Math.abs(at.x - from.x) });
				} else if (!from) {
					this.show(this.nearest(at, 40));
				}
			});
			const end = e => {
				if (brush) {
					const at = this.spot(e), share = x => Math.max(0, Math.min(1, (x - this.left) / this.width));
					const a = share(Math.min(from.x, at.x)), b = share(Math.max(from.x, at.x));
					if (b - a > 0.01) this.window = [this.hs.at(a), this.hs.at(b)];
					this.draw();
				}
				from = brush = null;
			};
			/* A mark whose note is the page of a run, on this machine, leads there. */
			const open = () => {
				const h = this.hits[this.focus], to = h && note(this.data.series[h.i], h.k);
				if (location.protocol === 'file:' && /^\/.*\/report\.html$/.test(to)) location.href = 'file://' + to.split('/').map(encodeURIComponent).join('/');
			};
			p.addEventListener('click', open);
			p.addEventListener('pointerup', end);
			p.addEventListener('pointercancel', () => { if (brush) brush.remove(); from = brush = null; });
			p.addEventListener('pointerleave', () => { if (!brush) this.show(-1); });
			p.addEventListener('dblclick', () => { this.window = null; this.draw(); });
			p.addEventListener('blur', () => this.show(-1));
			p.addEventListener('keydown', e => {
				const n = this.hits.length;
				if (!n) return;
				const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
				if (e.key in moves) this.show((Math.max(this.focus, moves[e.key] > 0 ? -1 : 0) + moves[e.key] + n) % n);
				else if (e.key === 'Enter') open();
				else if (e.key === 'Home') this.show(0);
				else if (e.key === 'End') this.show(n - 1);
				else if (e.key === 'Escape') { this.show(-1); if (this.window) { this.window = null; this.draw(); } }
				else if (e.key === '+' ) this.zoom(0.5, this.focus >= 0 ? (this.hits[this.focus].x - this.left) / this.width : 0.5);
				else if (e.key === '-') { this.window = null; this.draw(); }
				else return;
				e.preventDefault();
			});
		}

		/* The marks as rows below a head; for a table each cell is its text, and its number where it has one. */
		csv(shown) {
			const c = this.data, bare = a => shown ? v => num(v) ? a.scale === CATEGORY ? [label(a, v), ''] : [label(a, v), v] : ['–', '']
				: a.scale === CATEGORY ? v => label(a, v) : v => num(v) ? v : '';
			const plain = bare({}), word_ = t => shown ? [t || ''] : t;
			const x = bare(c.x), y = bare(c.y), rows = [];
			const head = a => (a.title || 'value') + (a.unit ? ' ' + a.unit : a.format === 2 ? ' s' : '');
			const plane = c.kind === SPAN && c.y.scale !== CATEGORY;
			if (c.kind === HEAT) rows.push([head(c.y), head(c.x), (c.zTitle || 'value') + ' ' + (c.zUnit || ''), 'remark']);
			else if (c.kind === BOX) rows.push(['series', head(c.y), ...c.quantiles.map(q => q + (c.x.format === 2 ? ' s' : c.x.unit ? ' ' + c.x.unit : '')), 'remark']);
			else if (c.kind === SPAN) rows.push(['series', head(c.y), ...plane ? [head(c.y) + ' to'] : [], 'from', 'to', 'remark']);
			else rows.push(['series', head(c.x), head(c.y), 'low', 'high', 'samples', 'remark']);
			for (const s of c.series) s.marks.forEach((m, k) => {
				if (shown && s.flags & GUIDE) return;
				const remark = word_([word(m), note(s, k)].filter(Boolean).join(': ')), name = word_(s.name);
				if (c.kind === HEAT) rows.push([y(m[Y]), x(m[X]), plain(m[Z]), remark]);
				else if (c.kind === BOX) rows.push([name, y(m[Y]), ...c.quantiles.map((q, i) => (shown ? x : plain)(m[Q + i])), remark]);
				else if (c.kind === SPAN) rows.push([name, y(m[Y]), ...plane ? [y(m[Y2])] : [], x(m[X]), x(m[X2]), remark]);
				else rows.push([name, x(m[X]), y(m[Y]), y(m[LOW]), y(m[HIGH]), plain(m[SAMPLES] || null), remark]);
			});
			return rows;
		}
	}

	/* ---- files ---- */

	/* A text that a spreadsheet would take for a formula gets a mark in front. */
	const cell = v => {
		let t = String(v);
		if (typeof v === 'string' && /^[=+\-@]/.test(t)) t = "'" + t;
		return /[",\n\r]/.test(t) ? '"' + t.replace(/"/g, '""') + '"' : t;
	};
	const save = (rows, name) => {
		const text = typeof rows === 'string' ? rows : rows.map(r => r.map(cell).join(',')).join('\n') + '\n';
		const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
		const a = html('a', { href: url, download: name.replace(/[^\w.-]+/g, '_') });
		document.body.append(a);
		a.click(), a.remove();
		setTimeout(() => URL.revokeObjectURL(url), 1000);
	};

	/* ---- tables ---- */

	const keyOf = td => {
		if (!td || td.dataset.v !== undefined) return td ? +td.dataset.v : '';
		const plain = td.textContent.replace(/[\s\u2009]/g, '');
		return plain !== '' && isFinite(plain) ? +plain : td.textContent;
	};
	const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b
		: typeof a === 'number' ? -1 : typeof b === 'number' ? 1 : a.localeCompare(b, undefined, { numeric: true });

	const sortable = table => {
		const heads = [...table.querySelectorAll('thead th')], body = table.tBodies[0];
		if (!body || body.rows.length < 2 || table.classList.contains('facts')) return;
		heads.forEach((th, i) => {
			const b = html('button', { type: 'button' }, th.textContent);
			th.replaceChildren(b);
			b.addEventListener('click', () => {
				const down = th.getAttribute('aria-sort') === 'ascending';
				heads.forEach(h => h.removeAttribute('aria-sort'));
				th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
				const rows = [...body.rows].map(r => [keyOf(r.cells[i]), r]);
				body.append(...rows.sort((a, b2) => (down ? -1 : 1) * compare(a[0], b2[0])).map(r => r[1]));
			});
		});
	};

	/* On a narrow screen rows are stacked (style.css), and every cell needs the name of its column. */
	const narrow = matchMedia('(max-width: 700px)');
	const stack = table => {
		const heads = [...table.querySelectorAll('thead th, thead td')].map(h => h.textContent);
		if (!narrow.matches || !heads.length || table.classList.contains('facts') || !table.tBodies[0]) return;
		for (const row of table.tBodies[0].rows)
			[...row.cells].forEach((c, i) => { if (i && heads[i]) c.dataset.head = heads[i]; });
		table.classList.add('stacks');
	};

	/* ---- many systems ---- */

	/* One of them stands out, in every view: its row, its dots, and what is said of it. */
	const systems = main => {
		const tables = [...main.querySelectorAll('table.systems')], list = html('select', { id: 'system' });
		const row = (table, s) => table.querySelector(`tr[data-s="${s}"]`);
		const name = s => row(tables[0], s).cells[0].textContent;
		const number = (table, s, c) => row(table, s).cells[c + 4];
		const told = (table, s, c) => number(table, s, c).textContent + ' ' + table.tHead.rows[0].cells[c + 4].textContent.split(', ').pop();
		const standing = (table, s, c) => {
			const v = +number(table, s, c).dataset.v, all = [...table.tBodies[0].rows].map(r => +r.cells[c + 4].dataset.v).filter(num);
			return !num(v) ? 'not measured' : told(table, s, c) + (all.length > 1 ? `, above ${all.filter(o => o < v).length} of ${all.length - 1}` : '');
		};
		const mark = s => {
			list.value = s;
			main.querySelectorAll('.marked').forEach(e => e.classList.remove('marked'));
			main.querySelectorAll(`[data-s="${s}"]`).forEach(e => {
				e.classList.add('marked');
				if (e.tagName === 'circle') e.parentNode.append(e);
			});
			main.querySelectorAll('.who').forEach(e => { e.textContent = name(s); });
			main.querySelectorAll('.standing').forEach(e => {
				e.textContent = standing(e.closest('.view').querySelector('table.systems'), s, +e.dataset.c);
			});
		};
		const tip = main.appendChild(html('div', { class: 'tip', role: 'status', hidden: '' }));
		main.addEventListener('pointermove', event => {
			const dot = event.target.closest('.dots circle'), table = dot && dot.closest('.view').querySelector('table.systems');
			main.querySelectorAll('.near').forEach(e => e.classList.remove('near'));
			tip.hidden = !dot;
			if (!dot) return;
			main.querySelectorAll(`circle[data-s="${dot.dataset.s}"]`).forEach(e => e.classList.add('near'));
			tip.textContent = name(dot.dataset.s) + '\n' + told(table, dot.dataset.s, +dot.parentNode.dataset.c);
			tip.style.left = Math.min(event.pageX + 12, innerWidth - 220) + 'px';
			tip.style.top = event.pageY + 12 + 'px';
		});
		main.addEventListener('click', event => {
			const of = event.target.closest('[data-s]');
			if (of) mark(of.dataset.s);
		});
		[...tables[0].tBodies[0].rows].map(r => r.dataset.s).sort((a, b) => name(a).localeCompare(name(b), undefined, { numeric: true }))
			.forEach(s => list.append(html('option', { value: s }, name(s))));
		list.value = tables[0].querySelector('.marked').dataset.s;
		list.addEventListener('change', () => mark(list.value));
		const line = html('p', {}), label = html('label', { for: 'system' }, 'Highlight ');
		line.append(label, list);
		main.prepend(line);
	};

	/* ---- the page ---- */

	const theme = () => {
		const root = document.documentElement, header = document.querySelector('header');
		if (!header) return;
		const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
		const b = html('button', { type: 'button', id: 'theme' });
		const other = () => dark() ? 'light' : 'dark';
		const name = () => fill(b, { 'aria-label': 'Show the page ' + other() }, other());
		b.addEventListener('click', () => { root.dataset.theme = other(); name(); });
		name();
		header.append(b);
	};

	const wake = (elements, act) => {
		const seen = new IntersectionObserver(entries => {
			for (const e of entries) if (e.isIntersecting) { seen.unobserve(e.target); act(e.target); }
		}, { rootMargin: '300px' });
		elements.forEach(e => seen.observe(e));
	};

	/* Keys stop at a table only while it can be scrolled. What is folded away is not laid out for that question. */
	const stops = () => {
		const shown = [...document.querySelectorAll('.wide')].filter(e => !e.closest('details:not([open])'));
		const scrolls = shown.map(e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight);
		shown.forEach((e, i) => scrolls[i] ? e.tabIndex = 0 : e.removeAttribute('tabindex'));
	};

	/* What a link leads to is not folded away. */
	const unfold = () => {
		const to = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
		for (let e = to; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
		if (to) to.scrollIntoView();
	};

	theme();
	addEventListener('hashchange', unfold);
	unfold();
	document.querySelectorAll('main.many').forEach(systems);
	stops();
	addEventListener('resize', stops);
	document.addEventListener('toggle', stops, true);
	const draw = f => { if (!f.pario) f.pario = new Chart(f); };
	wake(document.querySelectorAll('figure.chart'), draw);
	addEventListener('beforeprint', () => document.querySelectorAll('figure.chart').forEach(draw));
	wake(document.querySelectorAll('table'), t => { stack(t); sortable(t); });
	narrow.addEventListener('change', () => document.querySelectorAll('table').forEach(stack));
	document.querySelectorAll('pre.csv').forEach(pre => {
		const b = html('button', { type: 'button' }, 'save as file');
		pre.before(html('div', { class: 'tools' }));
		pre.previousSibling.append(b);
		b.addEventListener('click', () => save(pre.textContent, 'results.csv'));
	});
	addEventListener('beforeprint', () => document.querySelectorAll('.tip').forEach(t => { t.hidden = true; }));
	document.documentElement.dataset.ready = '1';
})();
