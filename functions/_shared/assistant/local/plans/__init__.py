"""How each intent is carried out: which tools, and the answer in Italian; all.py has one plan for each."""
