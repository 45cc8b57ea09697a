/** The page's words in English. Short sentences: they are read, heard and translated. */

export default {
  offline: "No connection. Nothing is lost: it goes on by itself.",

  title_opening: "One moment",
  title_preparing: "Getting ready",
  title_sending: "Checking your palm",
  title_finishing: "Saving your palms",

  title_home: "Sign in with your palm",
  home_text: "To sign in somewhere, scan the QR code on that screen with this phone’s camera.",
  home_set_up: "You can also set up your palms now.",
  home_broken: "The link is not complete. Scan the QR code on the computer again.",

  title_who_asks: "Somebody wants to sign in. Is it you?",
  fact_from: "Asked from",
  fact_network: "Network",
  fact_since: "Asked",
  network_same: "the same as this phone’s",
  network_different: "another than this phone’s",
  login_gets: "It will learn a pseudonym of yours that no other application knows. Nothing else.",
  login_warning: "Did somebody send you this link or its QR code? Then decline: nobody ever needs"
    + " you to sign in for them.",

  mode_preparing: "Finding out what this phone can do …",
  mode_template: "Your picture stays on this phone. It computes numbers that describe the lines of"
    + " your palm, and only these numbers are sent.",
  mode_picture_asked: "The picture of your palm will be sent: this service asks for pictures. It is"
    + " forgotten as soon as it was looked at.",
  mode_picture_refused: "The picture of your palm will be sent this time: the numbers alone "
    + "were not enough to tell that this phone is yours. It is forgotten as soon as it was "
    + "looked at.",
  mode_picture_stranger: "The picture of your palm will be sent this time, because this phone "
    + "is not known as yours yet. It is forgotten as soon as it was looked at.",
  mode_picture_slow: "The picture of your palm will be sent, because this phone is too slow to"
    + " compute the numbers itself. It is forgotten as soon as it was looked at.",
  mode_picture_missing: "The picture of your palm will be sent, because this browser cannot compute"
    + " the numbers itself. It is forgotten as soon as it was looked at.",

  title_ready: "Before the camera starts",
  camera_why: "Your browser may ask whether the camera may be used. It is on only while you show"
    + " your palm.",

  title_capture: "Show your palm",
  title_capture_right: "Show your right palm",
  title_capture_left: "Show your left palm",
  say_show_palm: "Show your open palm",
  say_other_side: "This is the back. Turn your hand",
  say_other_hand: "Use your other hand",
  say_closer: "Come closer",
  say_further: "Move back",
  say_to_middle: "Move your hand to the middle",
  say_fingers_apart: "Open your hand, fingers apart",
  say_more_light: "Too dark. More light",
  say_less_glare: "Too bright. Less glare",
  say_hold_still: "Hold still",
  say_good: "Good. Stay like this",
  say_burst: "Good enough. Choosing the sharpest picture",

  title_camera_denied: "The camera may not be used",
  camera_denied: "Allow the camera for this page in your browser’s settings (often behind the symbol"
    + " beside the address), then try again.",
  title_camera_missing: "No camera was found",
  camera_missing: "This device has no camera that the browser can use. Scan the QR code with a"
    + " phone, or connect a camera and try again.",
  title_camera_busy: "The camera is busy",
  camera_busy: "Another application or page is using the camera. Close it, then try again.",
  title_camera_unsupported: "This browser gives no camera",
  camera_unsupported: "Open this page in your phone’s usual browser. Browsers inside other"
    + " applications often have no camera.",

  title_retry: "Your palm was not recognised",
  retry: "Tries left: {left}.",
  retry_help: "More light, a clean palm, fingers apart, or your other hand often helps. If your palm"
    + " was never set up, set it up first.",

  title_approve: "Sign in?",
  approve_question: "Your palm was recognised. Nothing was shared yet.",

  title_code: "Type this on your computer",
  code_help: "The sign-in is finished when you type these four digits there.",
  code_warning: "Never tell them to anybody. Nobody who calls or writes to you needs them.",

  title_consent: "Before your palm is set up",
  consent_version: "Version {version}",
  consent_language: "This text exists in English only.",
  consent_agree: "I have read this and agree that my palm is used in this way.",
  consent_missing: "Tick the box if you agree. Otherwise nothing is set up.",
  title_palm_right: "First your right palm",
  palm_right_help: "Hold it open before the camera, fingers apart. There is no button: the camera"
    + " takes what is good.",
  title_palm_left: "Now your left palm",
  palm_left_help: "The same with your other hand.",
  title_enrolled: "Your palm is set up",
  enrolled: "From now on you sign in by showing it.",
  title_enrolment_samples_disagree: "The pictures do not fit together",
  enrolment_samples_disagree: "Both hands were mixed up, or a picture was poor. Please try again.",
  title_enrolment_too_few_samples: "Too few pictures",
  enrolment_too_few_samples: "At least one palm is needed. Please try again.",
  title_enrolment_enrolment_gone: "That took too long",
  enrolment_enrolment_gone: "Nothing was kept. Please begin again.",
  title_enrolment_consent_changed: "The text has changed",
  enrolment_consent_changed: "Please read the new one.",
  title_enrolment_already_enrolled: "This palm is set up already",
  enrolment_already_enrolled: "Sign in by showing it: this phone is then yours again.",
  title_enrolment_palm_mismatch: "This phone belongs to another palm",
  enrolment_palm_mismatch: "The palm that was set up with this phone has to be shown, too.",

  title_my_apps: "My applications",
  my_apps: "These know you, each by a pseudonym of its own.",
  my_apps_none: "No application knows you.",
  my_apps_since: "Since {date}",
  title_withdraw: "Take yourself back?",
  withdraw: "It is signed out, and does not know you any longer. If you sign in there again, you"
    + " are somebody new to it.",
  withdrawn: "Taken back.",
  title_screen_lock: "Use your phone’s screen lock, too?",
  screen_lock: "Fingerprint, face or PIN: whatever unlocks this phone. If this browser forgets you "
    + "one day, the screen lock brings you back, and nothing has to be set up again.",
  screen_lock_when: "It is asked for now and then when you sign in, and before anything is taken "
    + "back or deleted. It stays on this phone: we never learn it.",
  title_screen_lock_ready: "Now the screen lock",
  screen_lock_ready: "Your palm was recognised. Press the button, and your phone asks for its "
    + "screen lock.",
  screen_lock_name: "Palm sign-in",
  title_screen_lock_added: "Your screen lock is in use",
  screen_lock_added: "It brings you back if this browser forgets you.",
  title_screen_lock_failed: "The screen lock did not work",
  screen_lock_failed: "It was cancelled, or took too long. Everything works without it, too.",
  come_back_failed: "It was cancelled, or this phone keeps nothing for this service. Your palm "
    + "brings you back as well.",
  title_came_back: "This phone knows you again",
  came_back: "Nothing has to be set up again.",
  title_confirm_screen_lock: "Confirm with your screen lock",
  confirm_screen_lock: "It shows that this phone is still in your hands.",
  title_lost_screen_lock: "If the screen lock no longer works",
  lost_screen_lock: "This browser can forget its key and begin anew. Your palm then brings you "
    + "back at the next sign-in.",
  title_stop_screen_lock: "Stop using the screen lock?",
  stop_screen_lock: "Your palm goes on working. If this browser forgets you, only your palm brings "
    + "you back then.",
  title_screen_lock_stopped: "The screen lock is no longer used",
  screen_lock_stopped: "You may also delete the passkey in this phone’s settings.",

  title_delete_me: "Delete me",
  delete_me: "What describes your palms is deleted, at once and for good.",
  delete_me_apps: "No application will know you any longer. You could not get back to what you"
    + " have there.",
  delete_me_palm: "To make sure that it is you, show your palm once more.",
  delete_me_later: "If one day you cannot show your palm any longer, a deletion code helps.",
  title_deletion_code: "Your deletion code",
  deletion_code: "Write it down and keep it safe: it is shown once. Whoever has it can have the"
    + " operator delete your account. An earlier code is no longer valid.",
  title_deleted: "Deleted",
  deleted: "Nothing about your palms is kept any more, and this phone has forgotten its key.",
  title_own_palm_mismatch: "Not the palm of this phone",
  own_palm_mismatch: "Only the person who set up this phone may do this. More light or your other"
    + " hand may help.",

  title_end_go: "Done",
  end_go: "You are signed in.",
  title_end_declined: "Declined",
  end_declined: "Nothing was shared.",
  title_end_reported: "Reported",
  end_reported: "The sign-in was stopped, and nothing of it is valid any more.",
  title_end_expired: "Time ran out",
  end_expired: "Nothing was shared.",
  title_end_locked: "Not recognised",
  end_locked: "That was too often. Nothing was shared.",
  title_end_code_locked: "Wrong code",
  end_code_locked: "A wrong code was typed too often. Nothing was shared.",
  title_end_cancelled: "Cancelled on the computer",
  end_cancelled: "Nothing was shared.",
  title_end_superseded: "A newer sign-in was begun",
  end_superseded: "This one is over. Nothing was shared.",
  title_end_ticket_stale: "The QR code is old",
  end_ticket_stale: "It changes every few seconds. Scan the one on the screen now.",
  title_end_login_gone: "This sign-in is over",
  end_login_gone: "Or the link is not one of ours. Nothing was shared.",
  title_end_already_claimed: "Another phone was first",
  end_already_claimed: "One phone answers a sign-in. If the other one is not yours, cancel on the"
    + " computer.",
  title_end_too_many_attempts: "Too many tries",
  end_too_many_attempts: "Wait a while before you try again.",
  title_end_device_unbound: "This phone is not set up",
  end_device_unbound: "Set up your palm on this phone first, then scan the code again.",
  title_end_trouble: "That did not work",
  end_trouble: "Something went wrong on our side. Nothing was shared.",
  back_to_computer: "Go back to your computer.",
  start_again: "To sign in, start again on the computer.",

  action_continue: "Continue",
  action_first_time: "I am new: set up my palm",
  action_approve: "Sign in",
  action_decline: "Decline",
  action_report: "This was not me",
  action_cancel: "Cancel",
  action_try_again: "Try again",
  action_start_camera: "Start the camera",
  action_switch_camera: "Other camera",
  action_torch: "Light",
  action_speak: "Read aloud",
  action_agree: "Agree and go on",
  action_refuse: "No, thank you",
  action_skip_hand: "Without this hand",
  action_set_up: "Set up my palms",
  action_back_here: "Back to the sign-in",
  action_reload: "Try again",
  action_home: "To the start",
  action_my_apps: "My applications",
  action_withdraw: "Take back",
  action_come_back: "I was here before: screen lock",
  action_use_screen_lock: "Use the screen lock",
  action_go_without: "Go on without it",
  action_screen_lock: "Use my screen lock, too",
  action_stop_screen_lock: "Stop using my screen lock",
  action_lost_screen_lock: "It no longer works",
  action_begin_anew: "Begin anew",
  action_delete_me: "Delete me",
  action_deletion_code: "A code for later",
  action_delete_after_palm: "Show my palm and delete",
};
