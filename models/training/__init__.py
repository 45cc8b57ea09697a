"""Trains the palm network on drawn palms; needs the extra ``train`` (torch).

``session`` runs one session: ``sample_store`` draws palms, ``teacher`` scores them, ``train``
learns in ``batches``, ``validate`` measures, ``finalise`` joins network and oriented energy.
``models.export`` takes the checkpoint.
"""
