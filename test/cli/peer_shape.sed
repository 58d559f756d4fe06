# What a program printed without what differs from run to run: the version and the numbers with the blanks around them (their columns
# are as wide as the numbers), the day and the month, the command line and the machine.
s/^(IOR|mdtest)-[0-9][^ :]*/\1-VERSION/
s/^(Command line[^:]*): .*/\1: WORDS/
s/^(Machine +): .*/\1: WORDS/
s/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/DAY/
s#^(Path *|test filename *): /.*/(file[.0-9]*)$#\1: DIR/\2#
s#^(Path *): /.*#\1: DIR#
s/^remove  .*[0-9].*/remove ROW/ # pario does not time it
s/ *-?[0-9][0-9.:%\/]* */ N /g
