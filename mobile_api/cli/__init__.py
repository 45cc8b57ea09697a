"""Operator commands of the mobile side, as Typer applications.

serve.py: runs the service, migrates, ends a restore. config.py: shows the settings. gallery.py:
keys, thresholds and copies of the gallery. station.py: screens where people sign in without a
phone. audit.py: the audit logs. account.py: deleting an account by its code, disputes about a
palm, motions that a person leaves out, the list of erasures. sbom.py: lists what is installed.
A ``…_work.py`` does the work of the command beside it, imported only when it runs.
error_messages.py prints an error in one sentence.
``mobile_api/__main__.py`` adds them to ``thenar``.
"""
