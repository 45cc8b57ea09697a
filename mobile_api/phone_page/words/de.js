/** The page's words in German. */

export default {
  offline: "Keine Verbindung. Nichts geht verloren: Die Seite macht von selbst weiter.",
  title_too_old: "Dieser Browser ist zu alt",
  too_old: "Aktualisieren Sie ihn, oder öffnen Sie den Link in einem anderen Browser. Die "
    + "ältesten, mit denen es geht, sind Safari 16 (iOS 16), Chrome 103 und Firefox 100.",
  language: "Sprache",

  title_opening: "Einen Moment",
  title_sending: "Ihre Handfläche wird geprüft",
  title_finishing: "Ihre Handflächen werden gespeichert",

  title_home: "Mit der Handfläche anmelden",
  home_text: "Um sich bei einer App anzumelden, beginnen Sie dort: Scannen Sie den QR-Code mit "
    + "Ihrem Handy, oder drücken Sie „Dieses Gerät verwenden“.",
  home_first: "Zum ersten Mal hier? Richten Sie Ihre Handflächen ein. Schon auf einem anderen "
    + "Handy eingerichtet? „Diesem Handy vertrauen“ fügt dieses Ihrem Konto hinzu.",
  home_broken: "Der Link ist unvollständig. Scannen Sie den QR-Code am Computer noch einmal.",
  title_cleared: "Der Schlüssel dieses Handys ist weg",
  cleared: "Ihr Browser hat den Schlüssel dieses Handys gelöscht, wie Safari es nach sieben Tagen "
    + "ohne Besuch tut. Ihr Konto haben Sie noch: Zeigen Sie Ihre Handfläche, dann nutzen Sie "
    + "Ihren Passkey oder Ihren Notfallcode.",
  home_new: "Dieses Handy ist neu: Ihr Konto vertraut ihm noch nicht.",
  home_new_ready: "Die Wartezeit ist vorbei. Zeigen Sie noch einmal Ihre Handfläche, dann gilt "
    + "dieses Handy als vertraut.",
  title_account: "Ihr Konto",
  account_palm: "Ihre Handfläche öffnet dies für fünf Minuten.",
  sign_ins_none: "Keine Anmeldungen in letzter Zeit.",
  sign_ins_unknown: "Sie kennen eine nicht? Entfernen Sie ihr Handy unter „Meine Handys“.",
  sign_ins_more: "Alle zeigen",
  title_settings: "Einstellungen",
  setting_on: "Ein",
  setting_off: "Aus",
  setting_screen_lock: "Bildschirmsperre",
  title_request: "Ein neues Handy bittet um Vertrauen",
  request_asked: "Angefragt {when}",
  request_due: "Wenn Sie nichts tun, kann es nach dem {when} als vertraut gelten.",
  request_warning: "Bestätigen Sie nur, wenn es Ihres ist, Sie es bei sich haben und es die "
    + "Nummer {number} zeigt. Sonst lehnen Sie ab: Vielleicht hat jemand ein Bild Ihrer "
    + "Handfläche.",
  request_notification: "Bestätigen Sie nur, wenn es Ihres ist und Sie es bei sich haben. "
    + "Sonst lehnen Sie ab: Vielleicht hat jemand ein Bild Ihrer Handfläche.",
  requests_more: "Weitere Handys, die fragen: {count}. So viele auf einmal sind kaum Ihre.",
  notice_new_phone: "{date}: Einem neuen Handy wurde Ihre Handfläche gezeigt. Wenn Sie das nicht "
    + "waren, entfernen Sie es unter „Meine Handys“.",
  notice_palm_disputed: "{date}: Jemand wollte eine Ihrer Handflächen auf einem anderen Handy "
    + "einrichten. Wenn Sie es nicht waren, hat vielleicht jemand ein Bild davon.",
  notice_palm_released: "{date}: Der Betreiber hat eine Handfläche aus diesem Konto entfernt, weil "
    + "sie jemand anderem gehört.",
  notice_phone_trusted: "{date}: Ihr Konto vertraut jetzt einem weiteren Handy. Wenn Sie es nicht "
    + "kennen, entfernen Sie es unter „Meine Handys“.",
  notice_passkey_added: "{date}: Ein anderes Handy hat Ihrem Konto einen Passkey hinzugefügt. "
    + "Wenn Sie das nicht waren, entfernen Sie es unter „Meine Handys“.",
  notice_code_taken: "{date}: Ein anderes Handy hat einen neuen Notfallcode geholt. Wenn Sie das "
    + "nicht waren, entfernen Sie es unter „Meine Handys“.",

  title_station_code: "Diesen Browser zum Anmeldeplatz machen",
  station_code: "Geben Sie den Code ein, den Sie vom Betreiber haben. Dann kann man sich an "
    + "diesem Bildschirm allein mit der Handfläche anmelden.",
  station_code_wrong: "Dieser Code stimmt nicht oder wurde schon benutzt. Fragen Sie nach einem "
    + "neuen.",
  station_ready: "Bereit. Beginnen Sie die Anmeldung in einer App an diesem Bildschirm und zeigen "
    + "Sie dann hier Ihre Handfläche.",
  mode_picture_station: "Ein Bild Ihrer Handfläche wird gesendet und gleich nach der Prüfung "
    + "gelöscht. An diesem Bildschirm bleibt nichts von Ihnen.",
  title_end_station_elsewhere: "Nicht an diesem Anmeldeplatz",
  end_station_elsewhere: "Die Anmeldung hat nicht an diesem Bildschirm begonnen, oder der "
    + "Anmeldeplatz steht am falschen Ort. Beginnen Sie in der App noch einmal.",

  title_who_asks: "Melden Sie sich gerade an?",
  title_verify: "Bestätigen Sie, dass Sie es noch sind",
  network_different: "Aus einem anderen Netz als dem dieses Handys.",
  login_gets: "Die App erhält eine private Kennung für Sie, die keine andere App hat. Sonst nichts.",
  login_warning: "Hat Ihnen jemand diesen Link oder den QR-Code geschickt? Dann lehnen Sie ab: "
    + "Niemand muss Sie je bitten, sich für ihn anzumelden.",
  login_unchecked: "Niemand hat diesen Namen geprüft.",
  other_browser: "Haben Sie in einem anderen Browser dieses Handys eingerichtet? Dann beginnen Sie "
    + "neu und öffnen den Link dort.",

  mode_loading: "Wird vorbereitet: {done} von {all} MB",
  mode_template: "Ihr Bild bleibt auf diesem Handy. Es berechnet Zahlen, die die Linien Ihrer "
    + "Handfläche beschreiben, und sendet nur diese Zahlen.",
  mode_picture_asked: "Ein Bild Ihrer Handfläche wird gesendet, weil dieser Dienst Bilder "
    + "verlangt. Es wird gleich nach der Prüfung gelöscht.",
  mode_picture_refused: "Diesmal wird ein Bild Ihrer Handfläche gesendet, weil die Zahlen allein "
    + "nicht ausgereicht haben, um dieses Handy als Ihres zu bestätigen. Es wird gleich nach der "
    + "Prüfung gelöscht.",
  mode_picture_unbound: "Ein Bild Ihrer Handfläche wird gesendet, weil dieses Handy noch "
    + "nicht mit Ihnen verknüpft ist. Es wird gleich nach der Prüfung gelöscht.",
  mode_picture_untrusted: "Ein Bild Ihrer Handfläche wird gesendet, weil dieses Handy noch "
    + "nicht als vertraut gilt. Es wird gleich nach der Prüfung gelöscht.",
  mode_picture_unable: "Ein Bild Ihrer Handfläche wird gesendet, weil dieser Browser die Zahlen "
    + "jetzt nicht selbst berechnen kann. Es wird gleich nach der Prüfung gelöscht.",

  title_ready: "Bevor die Kamera angeht",
  camera_why: "Ihr Browser fragt vielleicht, ob er die Kamera benutzen darf. Die Kamera ist nur "
    + "an, während Sie Ihre Handfläche zeigen.",

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
  say_uncover: "Etwas verdeckt Ihre Handfläche",
  say_hold_still: "Stillhalten",
  say_good: "Gut. So halten",
  say_burst: "Das reicht. Das schärfste Bild wird gewählt",
  say_move_hand: "Bewegen Sie die Hand ein wenig",

  mode_picture_challenge: "Machen Sie {steps} kurze Bewegungen mit: Jede wird angesagt und "
    + "gezeigt. Einige Bilder Ihrer bewegten Hand werden gesendet, um zu prüfen, dass es eine "
    + "Hand ist und kein Bild davon. Sie werden gleich nach der Prüfung gelöscht.",
  challenge_count: "Bewegung {step} von {steps}",
  say_move_left: "Etwas nach links",
  say_move_right: "Etwas nach rechts",
  say_move_up: "Etwas nach oben",
  say_move_down: "Etwas nach unten",
  say_fold_thumb: "Legen Sie den Daumen über die Handfläche",
  say_spread_fingers: "Spreizen Sie die Finger",
  say_close_fingers: "Legen Sie die Finger aneinander",
  say_loose_fist: "Machen Sie eine lockere Faust",
  say_tilt_left: "Neigen Sie die Hand nach links",
  say_tilt_right: "Neigen Sie die Hand nach rechts",
  say_tilt_up: "Neigen Sie die Hand nach oben",
  say_tilt_down: "Neigen Sie die Hand nach unten",
  action_motions: "Bewegungen",
  title_motions: "Welche Bewegungen fallen Ihnen leicht?",
  motions: "Entfernen Sie das Häkchen bei jeder Bewegung, die Ihnen schwerfällt. Mindestens zwei "
    + "bleiben angehakt: Nur die werden verlangt.",
  motions_code: "Code vom Betreiber. Wer Bewegungen weglässt, braucht ihn, außer bei der "
    + "Anmeldung auf einem Telefon, dem Ihr Konto vertraut.",
  title_challenge_failed: "Das hat noch nicht geklappt",
  challenge_code_needed: "Um Bewegungen wegzulassen, brauchen Sie einen Code vom Betreiber "
    + "dieses Dienstes. Geben Sie ihn unter „Bewegungen“ ein, oder lassen Sie nichts "
    + "weg.",
  challenge_not_followed: "Ihren Bewegungen konnte nicht gefolgt werden. Halten Sie die ganze "
    + "Hand ins Bild, und bewegen Sie sie, wenn es gesagt wird.",
  challenge_too_late: "Das hat zu lange gedauert. Lassen Sie sich Zeit: Sie läuft erst, wenn "
    + "Sie Ihre Handfläche zeigen.",
  challenge_cannot_tell: "Die Bilder waren nicht deutlich genug. Versuchen Sie es mit weicherem "
    + "Licht, ohne Lampe oder Fenster hinter der Hand.",
  challenge_not_one_hand: "Zeigen Sie eine Hand, und die ganze Zeit dieselbe.",
  challenge_stopped: "Es endete bei Bewegung {step} von {steps}: „{motion}“.",
  challenge_unseen: "Dieses Telefon hat Bewegung {step} von {steps} nicht gesehen: „{motion}“.",

  title_camera_denied: "Der Zugriff auf die Kamera ist gesperrt",
  camera_denied: "Erlauben Sie dieser Seite die Kamera hinter dem Symbol neben der Adresse; unter "
    + "iOS auch in den Einstellungen, unter dem Namen des Browsers. Versuchen Sie es dann noch "
    + "einmal.",
  title_camera_missing: "Keine Kamera gefunden",
  camera_missing: "Dieses Gerät hat keine Kamera, die der Browser benutzen kann. Schließen Sie "
    + "eine an und versuchen Sie es noch einmal, oder nehmen Sie ein Handy.",
  title_camera_busy: "Die Kamera wird gerade benutzt",
  camera_busy: "Eine andere App oder Seite benutzt die Kamera. Schließen Sie sie, und versuchen "
    + "Sie es noch einmal.",
  title_camera_stopped: "Die Kamera hat angehalten",
  camera_stopped: "Sie wurde ausgeschaltet. Drücken Sie „Noch einmal versuchen“.",
  title_camera_paused: "Die Kamera wartet auf Sie",
  camera_paused: "Ihr Handy spart Strom und startet das Kamerabild nicht von selbst. Drücken Sie "
    + "den Knopf.",
  title_camera_unsupported: "Dieser Browser kann die Kamera nicht benutzen",
  camera_unsupported: "Öffnen Sie diese Seite im gewohnten Browser Ihres Handys. Browser "
    + "innerhalb anderer Apps können die Kamera oft nicht benutzen.",

  title_retry: "Ihre Handfläche wurde nicht erkannt",
  retry: "Verbleibende Versuche: {left}.",
  retry_help: "Versuchen Sie es mit mehr Licht, sauberer Hand, gespreizten Fingern oder der "
    + "anderen Hand. Wenn Sie Ihre Handfläche noch nicht eingerichtet haben, tun Sie das zuerst.",

  title_refused_picture: "Dieses Bild ist nicht brauchbar",
  refused_picture: "Der Dienst konnte es nicht lesen. Versuchen Sie es noch einmal.",
  refused_presentation_attack: "Zeigen Sie Ihre eigene Hand, und nichts davor.",
  refused_sample_cmyk: "Es hat Druckfarben (CMYK). Versuchen Sie es mit einem anderen Browser "
    + "oder einer anderen Kamera.",
  title_refused_busy: "Der Dienst ist ausgelastet",
  refused_busy: "Nichts geht verloren. Versuchen Sie es gleich noch einmal.",

  approve_question: "Ihre Handfläche wurde erkannt. Bisher wurde nichts weitergegeben.",

  title_code: "Geben Sie dies an Ihrem Computer ein",
  code_help: "Geben Sie dort diese vier Ziffern ein, um die Anmeldung abzuschließen.",
  code_warning: "Geben Sie diesen Code nie weiter. Niemand, der Sie anruft oder Ihnen schreibt, "
    + "braucht ihn.",

  step: "Schritt {step} von {steps}",
  title_consent: "Bevor Sie Ihre Handfläche einrichten",
  consent_version: "Fassung {version}",
  consent_agree: "Ich habe das gelesen und stimme dieser Verwendung meiner Handfläche zu.",
  consent_missing: "Setzen Sie das Häkchen, wenn Sie einverstanden sind. Sonst wird nichts "
    + "eingerichtet.",
  title_keeps_nothing: "Dieser Browser behält nichts",
  keeps_nothing: "Vielleicht ist es ein privates Fenster. Wenn Sie es schließen, wird diesem Handy "
    + "nicht mehr vertraut. Öffnen Sie diese Seite besser in Ihrem üblichen Browser. Wenn Sie "
    + "weitermachen, bewahren Sie den Notfallcode auf, den Sie am Ende bekommen: Er ist Ihr Weg "
    + "zurück.",
  title_palm_right: "Zuerst Ihre rechte Handfläche",
  palm_right_help: "Halten Sie sie offen vor die Kamera, Finger gespreizt. Es gibt keinen "
    + "Auslöser: Die Kamera nimmt die Bilder von selbst auf. Sie bittet um verschiedene "
    + "Ansichten, damit Sie später auch in anderem Licht und anderer Haltung erkannt werden.",
  title_palm_left: "Jetzt Ihre linke Handfläche",
  palm_left_help: "Machen Sie dasselbe mit der anderen Hand.",
  title_enrolled: "Alles ist eingerichtet",
  enrolled: "Ab jetzt zeigen Sie eine Handfläche, um sich anzumelden.",
  title_losing: "Wenn Sie dieses Handy verlieren",
  losing_phone: "Die Handfläche allein öffnet Ihr Konto auf keinem anderen Handy: Dazu braucht es "
    + "auch einen Notfallcode oder ein Handy, dem Sie vertrauen.",
  losing_wait: "Ohne beides müssen Sie {time} warten.",
  losing_account: "Ohne beides ist Ihr Konto verloren.",
  losing_key: "Außerdem löscht dieser Browser den Schlüssel dieses Handys, wenn Sie diese Seite sieben "
    + "Tage lang nicht öffnen. Das ist, als hätten Sie das Handy verloren.",
  losing_passkey: "Ihre Bildschirmsperre hat einen Passkey erstellt. Wird er auf Ihr nächstes "
    + "Handy übertragen, genügen dort er und Ihre Handfläche. Ein Notfallcode hilft immer.",
  losing_code: "Holen Sie jetzt einen Notfallcode, oder später unter „Einstellungen“.",
  title_enrolment_samples_disagree: "Die Bilder passen nicht zusammen",
  enrolment_samples_disagree: "Die Hände wurden verwechselt, oder ein Bild war schlecht. Bitte "
    + "versuchen Sie es noch einmal.",
  title_enrolment_too_few_samples: "Zu wenige Bilder",
  enrolment_too_few_samples: "Wir brauchen mindestens eine Handfläche. Bitte versuchen Sie es "
    + "noch einmal.",
  title_enrolment_enrolment_gone: "Das hat zu lange gedauert",
  enrolment_enrolment_gone: "Es wurde nichts gespeichert. Bitte beginnen Sie noch einmal.",
  title_enrolment_consent_changed: "Der Text hat sich geändert",
  enrolment_consent_changed: "Bitte lesen Sie die neue Fassung.",
  title_enrolment_already_enrolled: "Diese Handfläche ist schon eingerichtet",
  enrolment_already_enrolled: "Wenn Sie sie selbst eingerichtet haben, melden Sie sich mit ihr an. "
    + "Dann gehört dieses Handy wieder zu Ihnen, als neues Handy.",
  dispute: "Wenn nicht, nennen Sie diesen Code dem Support unter {email}. Damit kann er Ihre "
    + "Handfläche aus dem anderen Konto entfernen.",
  dispute_other: "Ihre andere Handfläche ist noch nicht eingerichtet. Sie können sie jetzt allein "
    + "einrichten.",
  title_enrolment_palm_mismatch: "Dieses Handy ist mit einer anderen Handfläche verknüpft",
  enrolment_palm_mismatch: "Bitte zeigen Sie auch die Handfläche, die mit diesem Handy "
    + "eingerichtet wurde.",
  title_new_recovery_code: "Ihr Notfallcode",
  new_recovery_code: "Schreiben Sie ihn auf und bewahren Sie ihn sicher auf: Er kann nicht noch "
    + "einmal gezeigt werden. Wenn Sie dieses Handy verlieren, machen der Code und Ihre Handfläche "
    + "ein anderes Handy vertraut. Frühere Codes gelten nicht mehr.",
  code_kept: "Ich habe ihn aufgeschrieben oder gespeichert.",
  code_missing: "Kreuzen Sie das Kästchen an, wenn Sie den Code aufbewahrt haben.",

  my_apps: "Bei diesen Apps haben Sie sich angemeldet. Jede kennt Sie unter einer anderen privaten Kennung.",
  my_apps_none: "Keine App ist verbunden.",
  my_apps_since: "Seit {date}",
  title_withdraw: "Diese App trennen?",
  withdraw_signs_out: "Sie werden dort abgemeldet.",
  withdraw: "Die App erkennt Sie nicht mehr. Wenn Sie sich wieder anmelden, behandelt sie Sie als "
    + "neuen Nutzer.",
  withdrawn: "Getrennt.",
  my_phones: "Diese Handys gehören zu Ihrem Konto. Entfernen Sie alle, die Sie nicht kennen.",
  phone_this: "Dieses Handy",
  phone_state_trusted: "Vertraut",
  phone_state_new: "Neu, nicht vertraut",
  phone_last_used: "Zuletzt benutzt: {date}",
  phone_removed: "ein entferntes Handy",
  title_sign_ins: "Letzte Anmeldungen",
  sign_in_station: "an einem Anmeldeplatz",
  sign_in_palm: "nur Handfläche",
  push: "Wenn ein neues Handy um Vertrauen bittet, zeigt dieses Handy es an, auch wenn die Seite "
    + "zu ist. Der Hersteller Ihres Browsers leitet die Nachricht weiter und erfährt nur, dass "
    + "es eine gibt.",
  push_home_screen: "In iOS kann das nur eine Seite auf dem Home-Bildschirm: Drücken Sie „Teilen“, "
    + "dann „Zum Home-Bildschirm“. Jene Seite hat einen eigenen Speicher: Öffnen Sie sie und "
    + "wählen Sie „Diesem Handy vertrauen“.",
  title_push_denied: "Mitteilungen sind aus",
  push_denied: "Erlauben Sie Mitteilungen dieser Seite in den Einstellungen Ihres Browsers und "
    + "versuchen Sie es noch einmal.",
  title_remove_phone: "Dieses Handy entfernen?",
  remove_phone: "Es gehört dann nicht mehr zu Ihrem Konto. Um wiederzukommen, braucht es Ihre "
    + "Handfläche und beginnt als neues Handy. Passkeys, die kein anderes Ihrer Handys erstellt "
    + "oder benutzt hat, und Ihr Notfallcode enden: Holen Sie unter „Einstellungen“ einen neuen.",
  remove_end_sign_ins: "Auch bei den Apps abmelden, bei denen dieses Handy angemeldet hat.",
  title_phone_refused: "Das Handy wurde entfernt",
  phone_refused: "Es gehört nicht mehr zu Ihrem Konto, und seine Anmeldungen sind beendet. Wenn es "
    + "nicht Ihres war, hat jemand Ihre Handfläche oder ein Bild davon.",
  title_phone_gone: "Diese Anfrage ist beendet",
  title_phone_not_trusted: "Dieses Handy gilt noch nicht als vertraut",
  phone_not_trusted: "Nehmen Sie dafür ein Handy, dem Sie vertrauen, oder vertrauen Sie zuerst "
    + "diesem.",
  title_phone_owns_later: "Das kann dieses Handy noch nicht",
  phone_owns_later: "Es gilt durch Warten als vertraut. Nehmen Sie dafür sieben Tage lang ein "
    + "älteres vertrautes Handy, oder bestätigen Sie dieses mit einem Passkey oder Ihrem "
    + "Notfallcode.",
  trust_phone: "Ein vertrautes Handy kann Ihre Apps zeigen und Ihr Konto ändern. Zeigen Sie zuerst "
    + "eine Handfläche, die Sie schon eingerichtet haben.",
  title_trust_ways: "Dieses Handy ist neu",
  trust_ways: "Ihre Handfläche wurde erkannt. Wählen Sie, wie Ihr Konto diesem Handy vertrauen kann.",
  no_trust_way: "Ihr Konto kann diesem Handy jetzt auf keinem Weg vertrauen. Fragen Sie den Betreiber "
    + "dieses Dienstes.",
  title_trust_asked: "Bestätigen Sie auf Ihrem anderen Handy",
  trust_asked: "Öffnen Sie diese Seite auf einem Handy, dem Sie vertrauen. Bestätigen Sie dort "
    + "die Anfrage mit dieser Nummer:",
  trust_asked_wait: "Kommen Sie nach dem {when} wieder und zeigen Sie hier noch einmal Ihre "
    + "Handfläche. Bis dahin zeigen Ihre vertrauten Handys diese Anfrage und können sie ablehnen.",
  request_refused: "Ein anderes Handy hat dieses abgelehnt.",
  passkey_failed: "Es wurde abgebrochen, oder hier gibt es keinen Passkey für Ihr Konto. Wählen "
    + "Sie noch einmal.",
  title_phone_trusted: "Das Handy gilt als vertraut",
  phone_trusted: "Es kann nun Ihre Apps zeigen und Ihr Konto ändern.",
  title_recover: "Geben Sie Ihren Notfallcode ein",
  recover_wrong: "Dieser Code stimmt nicht. Prüfen Sie ihn und versuchen Sie es noch einmal.",
  title_screen_lock: "Auch die Bildschirmsperre Ihres Handys nutzen?",
  screen_lock: "Fingerabdruck, Gesicht oder PIN: womit Sie dieses Handy entsperren. Wenn dieser "
    + "Browser seine Daten verliert, verknüpft die Bildschirmsperre dieses Handy wieder mit "
    + "Ihnen, und Sie müssen Ihre Handflächen nicht neu einrichten.",
  screen_lock_when: "Wir fragen ab und zu bei der Anmeldung danach, und bevor Sie etwas trennen "
    + "oder löschen. Sie bleibt auf diesem Handy: Wir sehen sie nie.",
  title_screen_lock_ready: "Jetzt die Bildschirmsperre",
  screen_lock_ready: "Ihre Handfläche wurde erkannt. Tippen Sie auf den Knopf, dann fragt Ihr "
    + "Handy nach der Bildschirmsperre.",
  screen_lock_name: "Anmeldung mit der Handfläche",
  title_screen_lock_failed: "Die Bildschirmsperre hat nicht funktioniert",
  screen_lock_failed: "Es wurde abgebrochen oder hat zu lange gedauert. Sie können auch ohne sie "
    + "weitermachen.",
  title_confirm_screen_lock: "Mit der Bildschirmsperre bestätigen",
  confirm_screen_lock: "Das bestätigt, dass Sie dieses Handy noch haben.",
  title_lost_screen_lock: "Wenn Ihre Bildschirmsperre nicht mehr funktioniert",
  lost_screen_lock: "Dieser Browser kann seinen Schlüssel löschen und neu beginnen. Bei der "
    + "nächsten Anmeldung verknüpft Ihre Handfläche dieses Handy wieder mit Ihnen, als neues Handy.",
  title_stop_screen_lock: "Die Bildschirmsperre nicht mehr nutzen?",
  stop_screen_lock: "Ihre Handfläche funktioniert weiter. Wenn dieser Browser aber seine Daten "
    + "verliert, kann nur Ihre Handfläche dieses Handy wieder mit Ihnen verknüpfen.",
  title_screen_lock_stopped: "Die Bildschirmsperre wird nicht mehr genutzt",
  screen_lock_stopped: "Sie können auch den Passkey in den Einstellungen dieses Handys löschen.",

  delete_me: "Die Daten, die Ihre Handflächen beschreiben, werden sofort und endgültig gelöscht.",
  delete_me_apps: "Keine App erkennt Sie mehr, und Sie verlieren den Zugang zu dem, was Sie dort "
    + "haben.",
  delete_me_palm: "Bestätigen Sie, dass Sie es sind: Zeigen Sie noch einmal Ihre Handfläche.",
  delete_me_later: "Wenn Sie Ihre Handfläche eines Tages vielleicht nicht mehr zeigen können, "
    + "holen Sie sich jetzt einen Löschcode.",
  title_deletion_code: "Ihr Löschcode",
  deletion_code: "Schreiben Sie ihn auf und bewahren Sie ihn sicher auf: Er wird nur einmal "
    + "gezeigt. Wer ihn hat, kann den Betreiber bitten, Ihr Konto zu löschen. Frühere Codes "
    + "gelten nicht mehr.",
  title_deleted: "Konto gelöscht",
  deleted: "Wir speichern nichts mehr über Ihre Handflächen, und dieses Handy hat seinen "
    + "Schlüssel gelöscht.",
  title_own_palm_mismatch: "Diese Handfläche ist nicht mit diesem Handy verknüpft",
  own_palm_mismatch: "Nur wer dieses Handy eingerichtet hat, kann das tun. Versuchen Sie es mit "
    + "mehr Licht oder der anderen Hand.",

  title_end_go: "Fertig",
  end_go: "Sie sind angemeldet.",
  title_end_declined: "Abgelehnt",
  end_declined: "Es wurde nichts weitergegeben.",
  title_end_reported: "Gemeldet",
  end_reported: "Die Anmeldung wurde gestoppt und ist nicht mehr gültig.",
  title_end_expired: "Die Zeit ist abgelaufen",
  title_end_locked: "Nicht erkannt",
  end_locked: "Zu viele Versuche. Es wurde nichts weitergegeben. Sie können sofort noch einmal "
    + "beginnen.",
  title_end_code_locked: "Falscher Code",
  end_code_locked: "Der falsche Code wurde zu oft eingegeben. Es wurde nichts weitergegeben.",
  title_end_cancelled: "Am Computer abgebrochen",
  title_end_superseded: "Eine neuere Anmeldung wurde gestartet",
  end_superseded: "Diese ist beendet. Es wurde nichts weitergegeben.",
  title_end_ticket_stale: "Dieser QR-Code ist abgelaufen",
  end_ticket_stale: "Er ändert sich alle paar Sekunden. Scannen Sie den, der jetzt auf dem "
    + "Bildschirm zu sehen ist.",
  title_end_login_gone: "Diese Anmeldung gibt es nicht mehr",
  end_login_gone: "Sie ist beendet, oder der Link ist ungültig.",
  title_end_already_claimed: "Ein anderes Handy antwortet bereits",
  end_already_claimed: "Nur ein Handy kann eine Anmeldung beantworten. Wenn das andere nicht "
    + "Ihres ist, brechen Sie am Computer ab.",
  title_end_too_many_attempts: "Zu viele Versuche",
  end_too_many_attempts: "Versuchen Sie es nach dem {when} noch einmal.",
  title_end_device_unbound: "Dieses Handy ist nicht eingerichtet",
  end_device_unbound: "Richten Sie zuerst Ihre Handfläche auf diesem Handy ein, und scannen Sie "
    + "dann den Code noch einmal.",
  title_end_phone_not_trusted: "Diese App verlangt ein vertrautes Handy",
  end_phone_not_trusted: "Es wurde nichts weitergegeben. Melden Sie sich mit einem Handy an, dem "
    + "Sie vertrauen, oder vertrauen Sie zuerst diesem.",
  title_end_palm_disputed: "Diese Handfläche wird geprüft",
  end_palm_disputed: "Zwei Personen sagen, dass sie ihnen gehört. Bis das geklärt ist, nehmen Sie "
    + "Ihre andere Handfläche oder ein Handy, dem Sie vertrauen.",
  title_end_trouble: "Etwas ist schiefgegangen",
  end_trouble: "Bei uns ist ein Fehler aufgetreten.",
  back_to_computer: "Gehen Sie zurück an Ihren Computer.",
  start_again: "Um sich anzumelden, beginnen Sie am Computer noch einmal.",

  action_continue: "Weiter",
  action_first_time: "Ich bin neu: Handfläche einrichten",
  action_approve: "Anmelden",
  action_decline: "Ablehnen",
  action_report: "Das war ich nicht",
  action_cancel: "Abbrechen",
  action_try_again: "Noch einmal versuchen",
  action_start_camera: "Kamera starten",
  action_no_wait: "Weiter, ohne zu warten",
  action_switch_camera: "Kamera wechseln",
  action_torch: "Licht",
  action_speak: "Vorlesen",
  action_agree: "Zustimmen und weiter",
  action_refuse: "Nein, danke",
  action_skip_hand: "Diese Hand überspringen",
  action_show_palm: "Handfläche zeigen und anmelden",
  action_other_palm: "Andere Handfläche einrichten",
  action_set_up: "Handflächen einrichten",
  action_back_here: "Zurück zur Anmeldung",
  action_home: "Zurück zum Anfang",
  action_my_apps: "Meine Apps",
  action_my_phones: "Meine Handys",
  action_trust_phone: "Diesem Handy vertrauen",
  action_use_passkey: "Passkey benutzen",
  action_ask_phone: "Auf dem anderen Handy bestätigen",
  action_approve_phone: "Bestätigen",
  action_refuse_phone: "Ablehnen",
  action_refuse_all: "Alle ablehnen",
  action_remove_phone: "Entfernen",
  action_recover: "Notfallcode eingeben",
  action_wait: "Einige Tage warten",
  action_other_way: "Anderen Weg wählen",
  action_recovery_code: "Neuen Notfallcode holen",
  action_show_code: "Notfallcode zeigen",
  action_push: "Mitteilungen",
  action_push_on: "Einschalten",
  action_push_off: "Ausschalten",
  action_copy: "Kopieren",
  copied: "Kopiert",
  action_withdraw: "Trennen",
  action_use_screen_lock: "Bildschirmsperre nutzen",
  action_go_without: "Ohne sie weiter",
  action_screen_lock: "Auch meine Bildschirmsperre nutzen",
  action_stop_screen_lock: "Bildschirmsperre nicht mehr nutzen",
  action_lost_screen_lock: "Sie funktioniert nicht mehr",
  action_begin_again: "Noch einmal beginnen",
  action_delete_me: "Mein Konto löschen",
  action_deletion_code: "Löschcode holen",
  action_delete_after_palm: "Handfläche zeigen und löschen",
};

/** What a phone is called where the page is open on something else. */
export const device = [["(ses|res) Handys", "$1 Geräts"], ["Handys", "Geräte"], ["Handy", "Gerät"]];
