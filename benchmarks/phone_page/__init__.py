"""``thenar bench page``: the phone's page in Chromium, with drawn hands as camera input.

``camera_file`` is the camera, ``phone`` drives the browser, ``run`` and
``judged`` measure.
"""
