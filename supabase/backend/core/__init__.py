"""What every service stands on: settings, keys, database, HTTP, jobs, mail, migrations, logs. Knows no service."""
