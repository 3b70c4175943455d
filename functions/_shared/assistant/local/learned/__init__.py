"""The trained reading of a sentence: what strangers to the rules say, told by likeness to labelled sentences.

signs.py     what a sentence is weighed by: words, pairs of words, pieces of words, the classes of the rules
weights.py   learned.json, read once: what each sign says for each intent, setting and slot
spans.py     where the words of a slot begin and end
filling.py   intent, settings and spans as slots: days, periods, numbers
reading.py   all of it for one sentence, and how sure it is

learned.json is written by scripts/assistant_training.py from tests/vectors/assistant.
"""
