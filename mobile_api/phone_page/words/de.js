/** The page's words in German. */

export default {
  offline: "Keine Verbindung. Nichts geht verloren: Es geht von selbst weiter.",

  title_opening: "Einen Moment",
  title_preparing: "Wird vorbereitet",
  title_sending: "Ihre Handfläche wird geprüft",
  title_finishing: "Ihre Handflächen werden gespeichert",

  title_home: "Mit der Handfläche anmelden",
  home_text: "Um sich irgendwo anzumelden, scannen Sie den QR-Code auf dem Bildschirm dort mit der "
    + "Kamera dieses Handys.",
  home_set_up: "Sie können Ihre Handflächen auch jetzt einrichten.",
  home_broken: "Der Link ist nicht vollständig. Scannen Sie den QR-Code am Computer noch einmal.",

  title_who_asks: "Jemand möchte sich anmelden. Sind Sie das?",
  fact_from: "Angefragt von",
  fact_network: "Netz",
  fact_since: "Angefragt",
  network_same: "dasselbe wie bei diesem Handy",
  network_different: "ein anderes als bei diesem Handy",
  login_gets: "Die App erfährt ein Pseudonym von Ihnen, das keine andere App kennt. Sonst nichts.",
  login_warning: "Hat Ihnen jemand diesen Link oder seinen QR-Code geschickt? Dann lehnen Sie ab: "
    + "Niemand braucht je Ihre Anmeldung für sich.",

  mode_preparing: "Es wird geprüft, was dieses Handy kann …",
  mode_template: "Ihr Bild bleibt auf diesem Handy. Es berechnet Zahlen, die die Linien Ihrer "
    + "Handfläche beschreiben, und nur diese Zahlen werden gesendet.",
  mode_picture_asked: "Das Bild Ihrer Handfläche wird gesendet: Dieser Dienst verlangt Bilder. Es "
    + "wird vergessen, sobald es ausgewertet ist.",
  mode_picture_refused: "Das Bild Ihrer Handfläche wird diesmal gesendet: Die Zahlen allein "
    + "reichten nicht, um zu erkennen, dass dieses Handy Ihres ist. Es wird vergessen, sobald "
    + "es ausgewertet ist.",
  mode_picture_stranger: "Das Bild Ihrer Handfläche wird diesmal gesendet, weil dieses Handy "
    + "noch nicht als Ihres bekannt ist. Es wird vergessen, sobald es ausgewertet ist.",
  mode_picture_slow: "Das Bild Ihrer Handfläche wird gesendet, weil dieses Handy zu langsam ist, "
    + "um die Zahlen selbst zu berechnen. Es wird vergessen, sobald es ausgewertet ist.",
  mode_picture_missing: "Das Bild Ihrer Handfläche wird gesendet, weil dieser Browser die Zahlen "
    + "nicht selbst berechnen kann. Es wird vergessen, sobald es ausgewertet ist.",

  title_ready: "Bevor die Kamera angeht",
  camera_why: "Ihr Browser fragt vielleicht, ob die Kamera benutzt werden darf. Sie ist nur an, "
    + "während Sie Ihre Handfläche zeigen.",

  title_capture: "Zeigen Sie Ihre Handfläche",
  title_capture_right: "Zeigen Sie Ihre rechte Handfläche",
  title_capture_left: "Zeigen Sie Ihre linke Handfläche",
  say_show_palm: "Zeigen Sie Ihre offene Hand",
  say_other_side: "Das ist der Handrücken. Drehen Sie die Hand um",
  say_other_hand: "Nehmen Sie die andere Hand",
  say_closer: "Näher kommen",
  say_further: "Weiter weg",
  say_to_middle: "Hand in die Mitte",
  say_fingers_apart: "Hand öffnen, Finger spreizen",
  say_more_light: "Zu dunkel. Mehr Licht",
  say_less_glare: "Zu hell. Weniger Licht",
  say_hold_still: "Stillhalten",
  say_good: "Gut. So bleiben",
  say_burst: "Das reicht. Das schärfste Bild wird gewählt",

  title_camera_denied: "Die Kamera darf nicht benutzt werden",
  camera_denied: "Erlauben Sie dieser Seite die Kamera in den Einstellungen Ihres Browsers (oft "
    + "hinter dem Symbol neben der Adresse), und versuchen Sie es noch einmal.",
  title_camera_missing: "Keine Kamera gefunden",
  camera_missing: "Dieses Gerät hat keine Kamera, die der Browser benutzen kann. Scannen Sie den "
    + "QR-Code mit einem Handy, oder schließen Sie eine Kamera an und versuchen Sie es noch "
    + "einmal.",
  title_camera_busy: "Die Kamera ist belegt",
  camera_busy: "Eine andere App oder Seite benutzt die Kamera. Schließen Sie sie, und versuchen "
    + "Sie es noch einmal.",
  title_camera_unsupported: "Dieser Browser gibt keine Kamera frei",
  camera_unsupported: "Öffnen Sie diese Seite im gewohnten Browser Ihres Handys. Browser innerhalb "
    + "anderer Apps haben oft keine Kamera.",

  title_retry: "Ihre Handfläche wurde nicht erkannt",
  retry: "Verbleibende Versuche: {left}.",
  retry_help: "Mehr Licht, eine saubere Hand, gespreizte Finger oder die andere Hand helfen oft. "
    + "Wenn Ihre Handfläche noch nie eingerichtet wurde, richten Sie sie zuerst ein.",

  title_approve: "Anmelden?",
  approve_question: "Ihre Handfläche wurde erkannt. Noch wurde nichts weitergegeben.",

  title_code: "Geben Sie dies an Ihrem Computer ein",
  code_help: "Die Anmeldung ist fertig, wenn Sie dort diese vier Ziffern eingeben.",
  code_warning: "Sagen Sie sie niemandem. Niemand, der Sie anruft oder Ihnen schreibt, braucht sie.",

  title_consent: "Bevor Ihre Handfläche eingerichtet wird",
  consent_version: "Fassung {version}",
  consent_language: "Dieser Text ist nur auf Englisch verfügbar.",
  consent_agree: "Ich habe das gelesen und bin einverstanden, dass meine Handfläche so verwendet "
    + "wird.",
  consent_missing: "Setzen Sie das Häkchen, wenn Sie einverstanden sind. Sonst wird nichts "
    + "eingerichtet.",
  title_palm_right: "Zuerst Ihre rechte Handfläche",
  palm_right_help: "Halten Sie sie offen vor die Kamera, Finger gespreizt. Es gibt keinen "
    + "Auslöser: Die Kamera nimmt, was gut ist.",
  title_palm_left: "Jetzt Ihre linke Handfläche",
  palm_left_help: "Dasselbe mit der anderen Hand.",
  title_enrolled: "Ihre Handfläche ist eingerichtet",
  enrolled: "Ab jetzt melden Sie sich an, indem Sie sie zeigen.",
  title_enrolment_samples_disagree: "Die Bilder passen nicht zusammen",
  enrolment_samples_disagree: "Die Hände wurden verwechselt, oder ein Bild war schlecht. Bitte "
    + "versuchen Sie es noch einmal.",
  title_enrolment_too_few_samples: "Zu wenige Bilder",
  enrolment_too_few_samples: "Mindestens eine Handfläche wird gebraucht. Bitte versuchen Sie es "
    + "noch einmal.",
  title_enrolment_enrolment_gone: "Das hat zu lange gedauert",
  enrolment_enrolment_gone: "Es wurde nichts behalten. Bitte beginnen Sie neu.",
  title_enrolment_consent_changed: "Der Text hat sich geändert",
  enrolment_consent_changed: "Bitte lesen Sie den neuen.",
  title_enrolment_already_enrolled: "Diese Handfläche ist schon eingerichtet",
  enrolment_already_enrolled: "Melden Sie sich an, indem Sie sie zeigen: Dann ist dieses Handy "
    + "wieder Ihres.",
  title_enrolment_palm_mismatch: "Dieses Handy gehört zu einer anderen Handfläche",
  enrolment_palm_mismatch: "Die Handfläche, die mit diesem Handy eingerichtet wurde, muss "
    + "ebenfalls gezeigt werden.",

  title_my_apps: "Meine Apps",
  my_apps: "Diesen Apps sind Sie bekannt, jeder unter einem eigenen Pseudonym.",
  my_apps_none: "Sie sind keiner App bekannt.",
  my_apps_since: "Seit {date}",
  title_withdraw: "Sich zurücknehmen?",
  withdraw: "Sie werden dort abgemeldet, und die App kennt Sie nicht mehr. Wenn Sie sich dort "
    + "wieder anmelden, sind Sie für sie jemand Neues.",
  withdrawn: "Zurückgenommen.",
  title_screen_lock: "Auch die Bildschirmsperre Ihres Handys nutzen?",
  screen_lock: "Fingerabdruck, Gesicht oder PIN: was immer dieses Handy entsperrt. Wenn dieser "
    + "Browser Sie eines Tages vergisst, bringt die Bildschirmsperre Sie zurück, und nichts muss "
    + "neu eingerichtet werden.",
  screen_lock_when: "Sie wird ab und zu beim Anmelden verlangt, und bevor etwas zurückgenommen "
    + "oder gelöscht wird. Sie bleibt auf diesem Handy: Wir erfahren sie nie.",
  title_screen_lock_ready: "Jetzt die Bildschirmsperre",
  screen_lock_ready: "Ihre Handfläche wurde erkannt. Drücken Sie den Knopf, dann fragt Ihr Handy "
    + "nach seiner Bildschirmsperre.",
  screen_lock_name: "Anmeldung mit der Handfläche",
  title_screen_lock_added: "Ihre Bildschirmsperre wird genutzt",
  screen_lock_added: "Sie bringt Sie zurück, wenn dieser Browser Sie vergisst.",
  title_screen_lock_failed: "Das ging nicht mit der Bildschirmsperre",
  screen_lock_failed: "Es wurde abgebrochen oder hat zu lange gedauert. Alles geht auch ohne sie.",
  come_back_failed: "Es wurde abgebrochen, oder dieses Handy bewahrt für diesen Dienst nichts auf. "
    + "Auch Ihre Handfläche bringt Sie zurück.",
  title_came_back: "Dieses Handy kennt Sie wieder",
  came_back: "Nichts muss neu eingerichtet werden.",
  title_confirm_screen_lock: "Mit der Bildschirmsperre bestätigen",
  confirm_screen_lock: "Sie zeigt, dass dieses Handy noch in Ihren Händen ist.",
  title_lost_screen_lock: "Wenn die Bildschirmsperre nicht mehr geht",
  lost_screen_lock: "Dieser Browser kann seinen Schlüssel vergessen und neu beginnen. Bei der "
    + "nächsten Anmeldung bringt Ihre Handfläche Sie dann zurück.",
  title_stop_screen_lock: "Die Bildschirmsperre nicht mehr nutzen?",
  stop_screen_lock: "Ihre Handfläche gilt weiter. Wenn dieser Browser Sie vergisst, bringt Sie "
    + "dann nur noch die Handfläche zurück.",
  title_screen_lock_stopped: "Die Bildschirmsperre wird nicht mehr genutzt",
  screen_lock_stopped: "Sie können auch den Passkey in den Einstellungen dieses Handys löschen.",

  title_delete_me: "Mich löschen",
  delete_me: "Was Ihre Handflächen beschreibt, wird gelöscht, sofort und endgültig.",
  delete_me_apps: "Sie sind dann keiner App mehr bekannt. An das, was Sie dort haben, kommen Sie "
    + "nicht mehr heran.",
  delete_me_palm: "Damit sicher ist, dass Sie es sind, zeigen Sie noch einmal Ihre Handfläche.",
  delete_me_later: "Wenn Sie Ihre Handfläche einmal nicht mehr zeigen können, hilft ein Löschcode.",
  title_deletion_code: "Ihr Löschcode",
  deletion_code: "Schreiben Sie ihn auf und bewahren Sie ihn sicher auf: Er wird nur einmal "
    + "gezeigt. Wer ihn hat, kann den Betreiber Ihr Konto löschen lassen. Ein früherer Code gilt "
    + "nicht mehr.",
  title_deleted: "Gelöscht",
  deleted: "Über Ihre Handflächen ist nichts mehr gespeichert, und dieses Handy hat seinen "
    + "Schlüssel vergessen.",
  title_own_palm_mismatch: "Nicht die Handfläche dieses Handys",
  own_palm_mismatch: "Nur wer dieses Handy eingerichtet hat, darf das. Mehr Licht oder die andere "
    + "Hand kann helfen.",

  title_end_go: "Fertig",
  end_go: "Sie sind angemeldet.",
  title_end_declined: "Abgelehnt",
  end_declined: "Es wurde nichts weitergegeben.",
  title_end_reported: "Gemeldet",
  end_reported: "Die Anmeldung wurde gestoppt, und nichts davon gilt mehr.",
  title_end_expired: "Die Zeit ist abgelaufen",
  end_expired: "Es wurde nichts weitergegeben.",
  title_end_locked: "Nicht erkannt",
  end_locked: "Das war zu oft. Es wurde nichts weitergegeben.",
  title_end_code_locked: "Falscher Code",
  end_code_locked: "Ein falscher Code wurde zu oft eingegeben. Es wurde nichts weitergegeben.",
  title_end_cancelled: "Am Computer abgebrochen",
  end_cancelled: "Es wurde nichts weitergegeben.",
  title_end_superseded: "Eine neuere Anmeldung wurde begonnen",
  end_superseded: "Diese ist vorbei. Es wurde nichts weitergegeben.",
  title_end_ticket_stale: "Der QR-Code ist alt",
  end_ticket_stale: "Er ändert sich alle paar Sekunden. Scannen Sie den, der jetzt auf dem "
    + "Bildschirm ist.",
  title_end_login_gone: "Diese Anmeldung ist vorbei",
  end_login_gone: "Oder der Link ist keiner von uns. Es wurde nichts weitergegeben.",
  title_end_already_claimed: "Ein anderes Handy war schneller",
  end_already_claimed: "Ein Handy beantwortet eine Anmeldung. Wenn das andere nicht Ihres ist, "
    + "brechen Sie am Computer ab.",
  title_end_too_many_attempts: "Zu viele Versuche",
  end_too_many_attempts: "Warten Sie eine Weile, bevor Sie es noch einmal versuchen.",
  title_end_device_unbound: "Dieses Handy ist nicht eingerichtet",
  end_device_unbound: "Richten Sie zuerst Ihre Handfläche auf diesem Handy ein, und scannen Sie "
    + "dann den Code noch einmal.",
  title_end_trouble: "Das hat nicht geklappt",
  end_trouble: "Bei uns ist etwas schiefgegangen. Es wurde nichts weitergegeben.",
  back_to_computer: "Gehen Sie zurück an Ihren Computer.",
  start_again: "Um sich anzumelden, beginnen Sie am Computer neu.",

  action_continue: "Weiter",
  action_first_time: "Ich bin neu: Handfläche einrichten",
  action_approve: "Anmelden",
  action_decline: "Ablehnen",
  action_report: "Das war ich nicht",
  action_cancel: "Abbrechen",
  action_try_again: "Noch einmal versuchen",
  action_start_camera: "Kamera starten",
  action_switch_camera: "Andere Kamera",
  action_torch: "Licht",
  action_speak: "Vorlesen",
  action_agree: "Einverstanden, weiter",
  action_refuse: "Nein, danke",
  action_skip_hand: "Ohne diese Hand",
  action_set_up: "Handflächen einrichten",
  action_back_here: "Zurück zur Anmeldung",
  action_reload: "Noch einmal versuchen",
  action_home: "Zum Anfang",
  action_my_apps: "Meine Apps",
  action_withdraw: "Zurücknehmen",
  action_come_back: "Ich war schon hier: Bildschirmsperre",
  action_use_screen_lock: "Bildschirmsperre nutzen",
  action_go_without: "Ohne sie weiter",
  action_screen_lock: "Auch meine Bildschirmsperre nutzen",
  action_stop_screen_lock: "Bildschirmsperre nicht mehr nutzen",
  action_lost_screen_lock: "Sie geht nicht mehr",
  action_begin_anew: "Neu beginnen",
  action_delete_me: "Mich löschen",
  action_deletion_code: "Löschcode für später",
  action_delete_after_palm: "Handfläche zeigen und löschen",
};
