/** The sentences in English. Keep them short: they are read, heard and translated. */

export default {
  offline: "No connection. Nothing is lost: this page continues by itself.",
  title_too_old: "This browser is too old",
  too_old: "Update it, or open the link in another browser. The oldest that work are Safari 16 "
    + "(iOS 16), Chrome 103 and Firefox 100.",
  language: "Language",

  title_opening: "One moment",
  title_sending: "Checking your palm",
  title_finishing: "Saving your palms",

  title_home: "Sign in with your palm",
  home_text: "To sign in to an app, start there: scan the QR code with your phone, or press “Use "
    + "this device”.",
  home_first: "First time here? Set up your palms. Set up on another phone already? “Trust this "
    + "phone” adds this one to your account.",
  home_broken: "The link is incomplete. Scan the QR code on the computer again.",
  title_cleared: "This phone’s key is gone",
  cleared: "Your browser deleted this phone’s key, as Safari does after seven days without a visit. "
    + "You still have your account: show your palm, then use your passkey or your recovery code.",
  home_new: "This phone is new: your account does not trust it yet.",
  home_new_ready: "The waiting time is over. Show your palm once more, and this phone is trusted.",
  title_account: "Your account",
  account_palm: "Your palm opens these for five minutes.",
  sign_ins_none: "No recent sign-ins.",
  sign_ins_unknown: "You do not know one? Remove its phone under “My phones”.",
  sign_ins_more: "Show all",
  title_settings: "Settings",
  setting_on: "On",
  setting_off: "Off",
  setting_screen_lock: "Screen lock",
  title_request: "A new phone asks to be trusted",
  request_asked: "Asked {when}",
  request_due: "If you do nothing, it can become trusted after {when}.",
  request_warning: "Approve it only if it is yours, with you, and shows the number {number}. If "
    + "not, refuse: someone may have a picture of your palm.",
  request_notification: "Approve it only if it is yours and with you. If not, refuse: "
    + "someone may have a picture of your palm.",
  requests_more: "More phones that ask: {count}. So many at once are hardly yours.",
  notice_new_phone: "{date}: a new phone was shown your palm. If it was not you, remove it under "
    + "“My phones”.",
  notice_palm_disputed: "{date}: someone tried to set up one of your palms on another phone. If "
    + "it was not you, someone may have a picture of it.",
  notice_palm_released: "{date}: the operator removed a palm from this account, because it belongs "
    + "to someone else.",
  notice_phone_trusted: "{date}: your account now trusts one more phone. If you do not know it, "
    + "remove it under “My phones”.",
  notice_passkey_added: "{date}: another phone added a passkey to your account. If it was not "
    + "you, remove that phone under “My phones”.",
  notice_code_taken: "{date}: another phone took a new recovery code. If it was not you, remove "
    + "that phone under “My phones”.",

  title_station_code: "Make this browser a station",
  station_code: "Type the code that the operator gave you. Then people can sign in at this screen "
    + "with their palm alone.",
  station_code_wrong: "This code is not right, or was used before. Ask for a new one.",
  station_ready: "Ready. Start the sign-in in an app on this screen, then show your palm here.",
  mode_picture_station: "A picture of your palm will be sent, and deleted right after the check. "
    + "Nothing of yours is kept at this screen.",
  title_end_station_elsewhere: "Not at this station",
  end_station_elsewhere: "The sign-in did not start on this screen, or the station is used in the "
    + "wrong place. Start again in the app.",

  title_who_asks: "Are you signing in?",
  title_verify: "Confirm that it is still you",
  network_different: "From another network than this phone’s.",
  login_gets: "The app gets a private ID for you that no other app has. Nothing else.",
  login_warning: "Did someone send you this link or its QR code? Then decline: no one ever needs "
    + "you to sign in for them.",
  login_unchecked: "This name has not been checked.",
  other_browser: "Did you set up in another browser of this phone? Then start again, and open the "
    + "link there.",

  mode_loading: "Getting ready: {done} of {all} MB",
  mode_template: "Your picture stays on this phone. Only numbers that describe the lines of "
    + "your palm are sent.",
  mode_picture_asked: "A picture of your palm will be sent, because this service asks for "
    + "pictures. It is deleted right after the check.",
  mode_picture_refused: "This time a picture of your palm will be sent, because the numbers alone "
    + "did not confirm that this phone is yours. It is deleted right after the check.",
  mode_picture_unbound: "A picture of your palm will be sent, because this phone is "
    + "not linked to you yet. It is deleted right after the check.",
  mode_picture_untrusted: "A picture of your palm will be sent, because this phone is "
    + "not trusted yet. It is deleted right after the check.",
  mode_picture_unable: "A picture of your palm will be sent, because this browser cannot compute "
    + "the numbers itself now. It is deleted right after the check.",

  title_ready: "Before the camera starts",
  camera_why: "Your browser may ask to use the camera. The camera is on only while "
    + "you show your palm.",

  title_capture: "Show your palm",
  title_capture_right: "Show your right palm",
  title_capture_left: "Show your left palm",
  say_show_palm: "Show your open palm",
  say_other_side: "That is the back. Turn your hand over",
  say_other_hand: "Use your other hand",
  say_closer: "Come closer",
  say_further: "Move back",
  say_to_middle: "Move your hand to the middle",
  say_fingers_apart: "Open your hand, fingers apart",
  say_more_light: "Too dark. More light",
  say_less_glare: "Too bright. Less glare",
  say_uncover: "Something covers your palm",
  say_hold_still: "Hold still",
  say_good: "Good. Hold it there",
  say_burst: "Good. Choosing the sharpest picture",
  say_move_hand: "Move your hand a little",

  mode_picture_challenge: "Follow {steps} short motions: each is said and shown. A few pictures of "
    + "your moving hand will be sent, to check that it is a hand and not a picture of one. They "
    + "are deleted right after the check.",
  challenge_count: "Motion {step} of {steps}",
  say_move_left: "A little to the left",
  say_move_right: "A little to the right",
  say_move_up: "A little up",
  say_move_down: "A little down",
  say_fold_thumb: "Fold your thumb across your palm",
  say_spread_fingers: "Spread your fingers",
  say_close_fingers: "Put your fingers together",
  say_loose_fist: "Make a loose fist",
  say_tilt_left: "Tilt your hand to the left",
  say_tilt_right: "Tilt your hand to the right",
  say_tilt_up: "Tilt your hand upwards",
  say_tilt_down: "Tilt your hand downwards",
  action_motions: "Motions",
  title_motions: "Which motions are easy for you?",
  motions: "Untick each motion that is hard for you. At least two stay ticked: only those will "
    + "be asked of you.",
  motions_code: "Code from the operator. Leaving out motions needs it, unless you sign in on a "
    + "phone that your account trusts.",
  title_challenge_failed: "That did not work yet",
  challenge_code_needed: "Leaving out motions needs a code from the operator of this service. "
    + "Type it under “Motions”, or leave nothing out.",
  challenge_not_followed: "Your motions could not be followed. Keep your whole hand in the "
    + "picture, and move when the instruction appears.",
  challenge_too_late: "That took too long. Take a moment: the time starts only when you show "
    + "your palm.",
  challenge_cannot_tell: "The pictures were not clear enough. Try softer light, with no lamp or "
    + "window behind your hand.",
  challenge_not_one_hand: "Show one hand, and the same one all the time.",
  challenge_stopped: "It stopped at motion {step} of {steps}: “{motion}”.",
  challenge_unseen: "This phone did not see motion {step} of {steps}: “{motion}”.",

  title_camera_denied: "Camera access is blocked",
  camera_denied: "Allow the camera for this page behind the icon next to the address; on iOS also "
    + "in the Settings, under the name of the browser. Then try again.",
  title_camera_missing: "No camera was found",
  camera_missing: "This device has no camera that the browser can use. Connect one and try again, "
    + "or use a phone.",
  title_camera_busy: "The camera is in use",
  camera_busy: "Another app or page is using the camera. Close it, then try again.",
  title_camera_stopped: "The camera stopped",
  camera_stopped: "It was switched off. Press “Try again”.",
  title_camera_paused: "The camera waits for you",
  camera_paused: "Your phone saves power, so the camera’s picture does not start by itself. Press "
    + "the button.",
  title_camera_unsupported: "This browser cannot use the camera",
  camera_unsupported: "Open this page in your phone’s usual browser. Browsers inside other apps "
    + "often cannot use the camera.",

  title_retry: "Your palm was not recognised",
  retry: "Attempts left: {left}.",
  retry_help: "Try more light, a clean palm, spread fingers, or your other hand. If you have not "
    + "set up your palm yet, do that first.",

  title_refused_picture: "This picture cannot be used",
  refused_picture: "The service could not read it. Try again.",
  refused_presentation_attack: "Show your own hand, with nothing in front of it.",
  refused_sample_cmyk: "It has the colours of printing (CMYK). Try another browser or camera.",
  title_refused_busy: "The service is busy",
  refused_busy: "Nothing is lost. Try again in a moment.",

  approve_question: "Your palm was recognised. Nothing has been shared yet.",

  title_code: "Type this on your computer",
  code_help: "Type these four digits there to finish signing in.",
  code_warning: "Never share this code. No one who calls or writes to you needs it.",

  step: "Step {step} of {steps}",
  title_consent: "Before you set up your palm",
  consent_version: "Version {version}",
  consent_agree: "I have read this and agree to this use of my palm.",
  consent_missing: "Tick the box if you agree. Otherwise nothing is set up.",
  title_keeps_nothing: "This browser keeps nothing",
  keeps_nothing: "It may be a private window. When you close it, this phone is no longer trusted. "
    + "Better open this page in your usual browser. If you continue, keep the recovery code that "
    + "you get at the end: it is your way back.",
  title_palm_right: "First, your right palm",
  palm_right_help: "Hold it open in front of the camera, fingers apart. There is no button: the "
    + "camera takes pictures by itself. It asks for views that differ, so that you are recognised "
    + "later in other light and poses.",
  title_palm_left: "Now your left palm",
  palm_left_help: "Do the same with your other hand.",
  title_enrolled: "You are set up",
  enrolled: "From now on, show a palm to sign in.",
  title_losing: "If you lose this phone",
  losing_phone: "Your palm alone does not open your account on another phone: it also takes a "
    + "recovery code, or a phone that you trust.",
  losing_wait: "Without either, you have to wait {time}.",
  losing_account: "Without either, your account is lost.",
  losing_key: "This browser also deletes this phone’s key if you do not open this page for seven days. "
    + "That is like losing the phone.",
  losing_passkey: "Your screen lock has made a passkey. If it is synced to your next phone, it "
    + "and your palm are enough there. A recovery code works in any case.",
  losing_code: "Take a recovery code now, or later under “Settings”.",
  title_enrolment_samples_disagree: "The pictures do not match",
  enrolment_samples_disagree: "Your hands were mixed up, or a picture was poor. Please try again.",
  title_enrolment_too_few_samples: "Too few pictures",
  enrolment_too_few_samples: "At least one palm is needed. Please try again.",
  title_enrolment_enrolment_gone: "That took too long",
  enrolment_enrolment_gone: "Nothing was saved. Please start again.",
  title_enrolment_consent_changed: "The text has changed",
  enrolment_consent_changed: "Please read the new version.",
  title_enrolment_already_enrolled: "This palm is already set up",
  enrolment_already_enrolled: "If you set it up yourself, show it to sign in. This phone then "
    + "belongs to you again, as a new phone.",
  dispute: "If it was not you, give this code to support at {email}. With it, they can take your "
    + "palm off the other account.",
  dispute_other: "Your other palm is not set up yet. You can set it up alone now.",
  title_enrolment_palm_mismatch: "This phone is linked to another palm",
  enrolment_palm_mismatch: "Please also show the palm that was set up with this phone.",
  title_new_recovery_code: "Your recovery code",
  new_recovery_code: "Write it down and keep it safe: it cannot be shown again. If you lose this "
    + "phone, the code and your palm make another phone trusted. Earlier codes no longer work.",
  code_kept: "I have written it down, or saved it.",
  code_missing: "Tick the box when you have kept the code.",

  my_apps: "You have signed in to these apps. Each knows you under a different private ID.",
  my_apps_none: "No apps are connected.",
  my_apps_since: "Since {date}",
  title_withdraw: "Disconnect this app?",
  withdraw_signs_out: "You will be signed out there.",
  withdraw: "If you sign in again, the app will treat you as a new user.",
  withdrawn: "Disconnected.",
  my_phones: "These phones belong to your account. Remove any that you do not know.",
  phone_this: "This phone",
  phone_state_trusted: "Trusted",
  phone_state_new: "New, not trusted",
  phone_last_used: "Last used: {date}",
  phone_removed: "a phone that was removed",
  title_sign_ins: "Last sign-ins",
  sign_in_station: "at a station",
  sign_in_palm: "palm only",
  push: "If a new phone asks to be trusted, this phone shows it, even while this page is closed. "
    + "Your browser’s maker passes the message on and learns only that there is one.",
  push_home_screen: "On iOS, only a page on the Home Screen can do this: press Share, then “Add to "
    + "Home Screen”. That page has its own storage: open it and choose “Trust this phone”.",
  title_push_denied: "Notifications are off",
  push_denied: "Allow notifications of this page in your browser’s settings, then try again.",
  title_remove_phone: "Remove this phone?",
  remove_phone: "It will no longer belong to your account. To come back, it needs your palm, and "
    + "starts as a new phone. Its passkeys, unless another phone of yours made or used them, and "
    + "your recovery code stop working: take a new code under “Settings”.",
  remove_end_sign_ins: "Also sign out the apps that this phone signed in to.",
  title_phone_refused: "The phone was removed",
  phone_refused: "It no longer belongs to your account, and what it signed in to has ended. If it "
    + "was not yours, someone has your palm or a picture of it.",
  title_phone_gone: "This request has ended",
  title_phone_not_trusted: "This phone is not trusted yet",
  phone_not_trusted: "Use a phone that you trust for this, or trust this one first.",
  title_phone_owns_later: "This phone cannot do this yet",
  phone_owns_later: "It became trusted by waiting. For seven days, use an older trusted phone for "
    + "this, or confirm this one with a passkey or your recovery code.",
  trust_phone: "A trusted phone can show your apps and change your account. To begin, show a palm "
    + "that you have set up before.",
  title_trust_ways: "This phone is new",
  trust_ways: "Your palm was recognised. Choose how your account can trust this phone.",
  no_trust_way: "Your account has no way to trust this phone now. Ask the operator of this service.",
  title_trust_asked: "Approve it on your other phone",
  trust_asked: "Open this page on a phone that you trust. There, approve the request with this "
    + "number:",
  trust_asked_wait: "Come back here after {when} and show your palm again. Until then, your "
    + "trusted phones show this request and can refuse it.",
  request_refused: "Another phone has refused this one.",
  passkey_failed: "It was cancelled, or there is no passkey for your account here. Choose again.",
  title_phone_trusted: "The phone is trusted",
  phone_trusted: "It can now show your apps and change your account.",
  title_recover: "Type your recovery code",
  recover_wrong: "This code is not right. Check it and try again.",
  title_screen_lock: "Use your phone’s screen lock as well?",
  screen_lock: "Your fingerprint, face or PIN: whatever unlocks this phone. If this browser loses "
    + "its data, the screen lock links this phone to you again, and you do not have to set up "
    + "your palms again.",
  screen_lock_when: "We ask for it now and then when you sign in, and before you disconnect or "
    + "delete anything. It stays on this phone: we never see it.",
  title_screen_lock_ready: "Now the screen lock",
  screen_lock_ready: "Your palm was recognised. Press the button, and your phone will ask for its "
    + "screen lock.",
  screen_lock_name: "Palm sign-in",
  title_screen_lock_failed: "The screen lock did not work",
  screen_lock_failed: "It was cancelled or took too long. You can also continue without it.",
  title_confirm_screen_lock: "Confirm with your screen lock",
  confirm_screen_lock: "This confirms that you still have this phone.",
  title_lost_screen_lock: "If your screen lock no longer works",
  lost_screen_lock: "This browser can delete its key and start again. At your next sign-in, your "
    + "palm links this phone to you again, as a new phone.",
  title_stop_screen_lock: "Stop using the screen lock?",
  stop_screen_lock: "Your palm will still work. But if this browser loses its data, only your "
    + "palm can link this phone to you again.",
  title_screen_lock_stopped: "The screen lock is no longer used",
  screen_lock_stopped: "You can also delete the passkey in this phone’s settings.",

  delete_me: "The data that describes your palms is deleted immediately and permanently.",
  delete_me_apps: "No app will recognise you any more, and you will lose access to what you have "
    + "there.",
  delete_me_palm: "To confirm that it is you, show your palm once more.",
  delete_me_later: "If you may one day be unable to show your palm, get a deletion code now.",
  title_deletion_code: "Your deletion code",
  deletion_code: "Write it down and keep it safe: it is shown only once. Anyone who has it can "
    + "ask the operator to delete your account. Earlier codes no longer work.",
  title_deleted: "Account deleted",
  deleted: "We no longer store anything about your palms, and this phone has deleted its key.",
  title_own_palm_mismatch: "This palm is not linked to this phone",
  own_palm_mismatch: "Only the person who set up this phone can do this. Try more light or your "
    + "other hand.",

  title_end_go: "Done",
  end_go: "You are signed in.",
  title_end_declined: "Declined",
  end_declined: "Nothing was shared.",
  title_end_reported: "Reported",
  end_reported: "The sign-in was stopped and is no longer valid.",
  title_end_expired: "Time ran out",
  title_end_locked: "Not recognised",
  end_locked: "Too many attempts. Nothing was shared. You can start again at once.",
  title_end_code_locked: "Wrong code",
  end_code_locked: "The wrong code was typed too many times. Nothing was shared.",
  title_end_cancelled: "Cancelled on the computer",
  title_end_superseded: "A newer sign-in was started",
  end_superseded: "This one has ended. Nothing was shared.",
  title_end_ticket_stale: "This QR code has expired",
  end_ticket_stale: "It changes every few seconds. Scan the one that is on the screen now.",
  title_end_login_gone: "This sign-in is no longer available",
  end_login_gone: "It has ended, or the link is not valid.",
  title_end_already_claimed: "Another phone is answering",
  end_already_claimed: "Only one phone can answer a sign-in. If the other phone is not yours, "
    + "cancel on the computer.",
  title_end_too_many_attempts: "Too many attempts",
  end_too_many_attempts: "Try again after {when}.",
  title_end_device_unbound: "This phone is not set up",
  end_device_unbound: "Set up your palm on this phone first, then scan the code again.",
  title_end_phone_not_trusted: "This app needs a trusted phone",
  end_phone_not_trusted: "Nothing was shared. Sign in with a phone that you trust, or trust this "
    + "one first.",
  title_end_palm_disputed: "This palm is being checked",
  end_palm_disputed: "Two people say that it is theirs. Until that is settled, use your other "
    + "palm, or a phone that you trust.",
  title_end_trouble: "Something went wrong",
  end_trouble: "There was a problem on our side.",
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
  action_no_wait: "Continue without waiting",
  action_switch_camera: "Switch camera",
  action_torch: "Light",
  action_speak: "Read aloud",
  action_agree: "Agree and continue",
  action_refuse: "No, thank you",
  action_skip_hand: "Skip this hand",
  action_show_palm: "Show my palm and sign in",
  action_other_palm: "Set up my other palm",
  action_set_up: "Set up my palms",
  action_back_here: "Back to the sign-in",
  action_home: "Back to start",
  action_my_apps: "My apps",
  action_my_phones: "My phones",
  action_trust_phone: "Trust this phone",
  action_use_passkey: "Use your passkey",
  action_ask_phone: "Approve on your other phone",
  action_approve_phone: "Approve",
  action_refuse_phone: "Refuse",
  action_refuse_all: "Refuse all",
  action_remove_phone: "Remove",
  action_recover: "Enter your recovery code",
  action_wait: "Wait for some days",
  action_other_way: "Choose another way",
  action_recovery_code: "Get a new recovery code",
  action_show_code: "Show my recovery code",
  action_push: "Notifications",
  action_push_on: "Turn on",
  action_push_off: "Turn off",
  action_copy: "Copy",
  copied: "Copied",
  action_withdraw: "Disconnect",
  action_use_screen_lock: "Use screen lock",
  action_go_without: "Continue without it",
  action_screen_lock: "Use my screen lock as well",
  action_stop_screen_lock: "Stop using my screen lock",
  action_lost_screen_lock: "It no longer works",
  action_begin_again: "Start again",
  action_delete_me: "Delete my account",
  action_deletion_code: "Get a deletion code",
  action_delete_after_palm: "Show my palm and delete",
};

/** What a phone is called where the page is open on something else. */
export const device = [["phone", "device"]];
