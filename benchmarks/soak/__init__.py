"""``thenar bench soak``: long runs against a gallery on disk; each can be made short.

``kills`` ends a ``worker`` with SIGKILL, ``bit_flips`` damages files, ``concurrency`` runs many
threads. ``workload`` determines every change by a seed.
"""
