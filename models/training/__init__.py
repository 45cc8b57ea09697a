"""Trains the palm network on drawn palms; needs the extra ``train`` (torch).

``session`` runs one session: ``sample_store`` draws palms and scores them, ``train`` learns in
batches, ``finalise`` measures and joins network and oriented energy.
``models.export`` takes the checkpoint.
"""
