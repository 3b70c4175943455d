"""Quick-add: a line of Italian («domani alle 15 chiamare Rossi») read into a task, by a table of rules (rules.json).

The browser reads the same table (web/src/lib/quick-add); tests/vectors/quick_add.json holds what both must answer.
A second table (periods.json) adds what questions say of time («dal 3 al 10 maggio», «… venerdì scorso»); only the
assistant asks, so the browser does not load it. tests/vectors/periods.json holds its phrases.
"""
