"""``thenar bench robustness``: curves of misses against what makes a picture hard.

``picture_harm`` and ``covers`` are applied to one side of each comparison,
``conditions`` lists them; drawn hands bring their own (``thenar models vary``). ``trials``
chooses pictures and makes templates, ``curves`` counts, ``run`` draws.
"""
