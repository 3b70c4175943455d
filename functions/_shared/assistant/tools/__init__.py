"""What models may call. Reading runs freely; writing becomes a proposal that the person decides about.

registry.py     names, descriptions and arguments of all tools, as pydantic-ai takes them
resolving.py    whom and what «Rossi» or `r3` means, and asking when that is not sure
answers.py      what every answer keeps to: size, handles, marks of what strangers wrote
wording.py      amounts, days and repetitions in Italian
tasks.py …      one file for each domain: its questions, and in write_….py its proposals

Everything runs as the person who asks: row level security decides what exists.
"""
