"""Quick-add: a line of Italian («domani alle 15 chiamare Rossi») read into a task, by a table of rules (rules.json).

The browser reads the same table (web/src/lib/quick-add); tests/vectors/quick_add.json holds what both must answer.
"""
