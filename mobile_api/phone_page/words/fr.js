/** The page's words in French. */

export default {
  offline: "Pas de connexion. Rien n’est perdu : cela reprendra tout seul.",

  title_opening: "Un instant",
  title_preparing: "Préparation",
  title_sending: "Vérification de votre paume",
  title_finishing: "Enregistrement de vos paumes",

  title_home: "Se connecter avec la paume",
  home_text: "Pour vous connecter quelque part, scannez le code QR de cet écran avec l’appareil "
    + "photo de ce téléphone.",
  home_set_up: "Vous pouvez aussi enregistrer vos paumes maintenant.",
  home_broken: "Le lien est incomplet. Scannez à nouveau le code QR de l’ordinateur.",

  title_who_asks: "Quelqu’un veut se connecter. Est-ce vous ?",
  fact_from: "Demandé depuis",
  fact_network: "Réseau",
  fact_since: "Demandé",
  network_same: "le même que celui de ce téléphone",
  network_different: "un autre que celui de ce téléphone",
  login_gets: "L’application apprendra un pseudonyme de vous qu’aucune autre application ne "
    + "connaît. Rien d’autre.",
  login_warning: "Quelqu’un vous a envoyé ce lien ou son code QR ? Alors refusez : personne n’a "
    + "jamais besoin que vous vous connectiez à sa place.",

  mode_preparing: "Recherche de ce que ce téléphone sait faire…",
  mode_template: "Votre image reste sur ce téléphone. Il calcule des nombres qui décrivent les "
    + "lignes de votre paume, et seuls ces nombres sont envoyés.",
  mode_picture_asked: "L’image de votre paume sera envoyée : ce service demande des images. Elle "
    + "est oubliée dès qu’elle a été examinée.",
  mode_picture_refused: "Cette fois, l’image de votre paume sera envoyée : les nombres seuls "
    + "n’ont pas suffi pour savoir que ce téléphone est le vôtre. Elle est oubliée dès qu’elle "
    + "a été examinée.",
  mode_picture_stranger: "Cette fois, l’image de votre paume sera envoyée, car ce téléphone "
    + "n’est pas encore connu comme le vôtre. Elle est oubliée dès qu’elle a été examinée.",
  mode_picture_slow: "L’image de votre paume sera envoyée, car ce téléphone est trop lent pour "
    + "calculer les nombres lui-même. Elle est oubliée dès qu’elle a été examinée.",
  mode_picture_missing: "L’image de votre paume sera envoyée, car ce navigateur ne peut pas "
    + "calculer les nombres lui-même. Elle est oubliée dès qu’elle a été examinée.",

  title_ready: "Avant d’allumer la caméra",
  camera_why: "Votre navigateur demandera peut-être si la caméra peut être utilisée. Elle n’est "
    + "allumée que pendant que vous montrez votre paume.",

  title_capture: "Montrez votre paume",
  title_capture_right: "Montrez votre paume droite",
  title_capture_left: "Montrez votre paume gauche",
  say_show_palm: "Montrez votre paume ouverte",
  say_other_side: "C’est le dos. Tournez la main",
  say_other_hand: "Prenez l’autre main",
  say_closer: "Rapprochez-vous",
  say_further: "Éloignez-vous",
  say_to_middle: "Mettez la main au milieu",
  say_fingers_apart: "Ouvrez la main, doigts écartés",
  say_more_light: "Trop sombre. Plus de lumière",
  say_less_glare: "Trop clair. Moins de lumière",
  say_hold_still: "Ne bougez pas",
  say_good: "Bien. Restez ainsi",
  say_burst: "Cela suffit. Choix de l’image la plus nette",

  title_camera_denied: "La caméra ne peut pas être utilisée",
  camera_denied: "Autorisez la caméra pour cette page dans les réglages de votre navigateur "
    + "(souvent derrière le symbole à côté de l’adresse), puis réessayez.",
  title_camera_missing: "Aucune caméra trouvée",
  camera_missing: "Cet appareil n’a pas de caméra que le navigateur puisse utiliser. Scannez le "
    + "code QR avec un téléphone, ou branchez une caméra et réessayez.",
  title_camera_busy: "La caméra est occupée",
  camera_busy: "Une autre application ou page utilise la caméra. Fermez-la, puis réessayez.",
  title_camera_unsupported: "Ce navigateur ne donne pas de caméra",
  camera_unsupported: "Ouvrez cette page dans le navigateur habituel de votre téléphone. Les "
    + "navigateurs à l’intérieur d’autres applications n’ont souvent pas de caméra.",

  title_retry: "Votre paume n’a pas été reconnue",
  retry: "Essais restants : {left}.",
  retry_help: "Plus de lumière, une paume propre, les doigts écartés ou l’autre main aident "
    + "souvent. Si votre paume n’a jamais été enregistrée, enregistrez-la d’abord.",

  title_approve: "Se connecter ?",
  approve_question: "Votre paume a été reconnue. Rien n’a encore été transmis.",

  title_code: "Tapez ceci sur votre ordinateur",
  code_help: "La connexion est terminée quand vous y tapez ces quatre chiffres.",
  code_warning: "Ne les dites jamais à personne. Personne qui vous appelle ou vous écrit n’en a "
    + "besoin.",

  title_consent: "Avant d’enregistrer votre paume",
  consent_version: "Version {version}",
  consent_language: "Ce texte n’existe qu’en anglais.",
  consent_agree: "J’ai lu ceci et j’accepte que ma paume soit utilisée ainsi.",
  consent_missing: "Cochez la case si vous acceptez. Sinon, rien n’est enregistré.",
  title_palm_right: "D’abord votre paume droite",
  palm_right_help: "Tenez-la ouverte devant la caméra, doigts écartés. Il n’y a pas de bouton : la "
    + "caméra prend ce qui est bon.",
  title_palm_left: "Maintenant votre paume gauche",
  palm_left_help: "De même avec l’autre main.",
  title_enrolled: "Votre paume est enregistrée",
  enrolled: "Désormais, vous vous connectez en la montrant.",
  title_enrolment_samples_disagree: "Les images ne vont pas ensemble",
  enrolment_samples_disagree: "Les deux mains ont été confondues, ou une image était mauvaise. "
    + "Veuillez réessayer.",
  title_enrolment_too_few_samples: "Trop peu d’images",
  enrolment_too_few_samples: "Il faut au moins une paume. Veuillez réessayer.",
  title_enrolment_enrolment_gone: "Cela a pris trop de temps",
  enrolment_enrolment_gone: "Rien n’a été gardé. Veuillez recommencer.",
  title_enrolment_consent_changed: "Le texte a changé",
  enrolment_consent_changed: "Veuillez lire le nouveau.",
  title_enrolment_already_enrolled: "Cette paume est déjà enregistrée",
  enrolment_already_enrolled: "Connectez-vous en la montrant : ce téléphone est alors de nouveau "
    + "le vôtre.",
  title_enrolment_palm_mismatch: "Ce téléphone appartient à une autre paume",
  enrolment_palm_mismatch: "La paume enregistrée avec ce téléphone doit aussi être montrée.",

  title_my_apps: "Mes applications",
  my_apps: "Celles-ci vous connaissent, chacune sous un pseudonyme à elle.",
  my_apps_none: "Aucune application ne vous connaît.",
  my_apps_since: "Depuis le {date}",
  title_withdraw: "Vous retirer ?",
  withdraw: "Vous y serez déconnecté, et elle ne vous connaîtra plus. Si vous vous y connectez à "
    + "nouveau, vous serez quelqu’un de nouveau pour elle.",
  withdrawn: "Retiré.",
  title_screen_lock: "Utiliser aussi le verrouillage de votre téléphone ?",
  screen_lock: "Empreinte, visage ou code : ce qui déverrouille ce téléphone. Si un jour ce "
    + "navigateur vous oublie, le verrouillage vous fait revenir, et rien n’est à enregistrer de "
    + "nouveau.",
  screen_lock_when: "Il est demandé de temps en temps quand vous vous connectez, et avant tout "
    + "retrait ou toute suppression. Il reste sur ce téléphone : nous ne l’apprenons jamais.",
  title_screen_lock_ready: "Maintenant, le verrouillage du téléphone",
  screen_lock_ready: "Votre paume a été reconnue. Appuyez sur le bouton, et votre téléphone "
    + "demande son déverrouillage.",
  screen_lock_name: "Connexion par la paume",
  title_screen_lock_added: "Le verrouillage de votre téléphone est utilisé",
  screen_lock_added: "Il vous fait revenir si ce navigateur vous oublie.",
  title_screen_lock_failed: "Le verrouillage du téléphone n’a pas fonctionné",
  screen_lock_failed: "Cela a été annulé, ou a pris trop de temps. Tout fonctionne aussi sans lui.",
  come_back_failed: "Cela a été annulé, ou ce téléphone ne garde rien pour ce service. Votre paume "
    + "vous fait revenir aussi.",
  title_came_back: "Ce téléphone vous connaît de nouveau",
  came_back: "Rien n’est à enregistrer de nouveau.",
  title_confirm_screen_lock: "Confirmez avec le verrouillage du téléphone",
  confirm_screen_lock: "Cela montre que ce téléphone est toujours entre vos mains.",
  title_lost_screen_lock: "Si le verrouillage ne fonctionne plus",
  lost_screen_lock: "Ce navigateur peut oublier sa clé et recommencer. Votre paume vous fait alors "
    + "revenir à la prochaine connexion.",
  title_stop_screen_lock: "Ne plus utiliser le verrouillage du téléphone ?",
  stop_screen_lock: "Votre paume continue de fonctionner. Si ce navigateur vous oublie, elle seule "
    + "vous fait alors revenir.",
  title_screen_lock_stopped: "Le verrouillage du téléphone n’est plus utilisé",
  screen_lock_stopped: "Vous pouvez aussi supprimer la clé d’accès dans les réglages de ce "
    + "téléphone.",

  title_delete_me: "Me supprimer",
  delete_me: "Ce qui décrit vos paumes est supprimé, tout de suite et pour toujours.",
  delete_me_apps: "Aucune application ne vous connaîtra plus. Vous ne pourriez plus accéder à ce "
    + "que vous y avez.",
  delete_me_palm: "Pour être sûr que c’est vous, montrez encore une fois votre paume.",
  delete_me_later: "Si un jour vous ne pouvez plus montrer votre paume, un code de suppression "
    + "aide.",
  title_deletion_code: "Votre code de suppression",
  deletion_code: "Notez-le et gardez-le en lieu sûr : il n’est montré qu’une fois. Qui l’a peut "
    + "faire supprimer votre compte par l’exploitant. Un code précédent n’est plus valable.",
  title_deleted: "Supprimé",
  deleted: "Plus rien n’est gardé de vos paumes, et ce téléphone a oublié sa clé.",
  title_own_palm_mismatch: "Ce n’est pas la paume de ce téléphone",
  own_palm_mismatch: "Seule la personne qui a configuré ce téléphone peut faire cela. Plus de "
    + "lumière ou l’autre main peuvent aider.",

  title_end_go: "Terminé",
  end_go: "Vous êtes connecté.",
  title_end_declined: "Refusé",
  end_declined: "Rien n’a été transmis.",
  title_end_reported: "Signalé",
  end_reported: "La connexion a été arrêtée, et rien n’en est plus valable.",
  title_end_expired: "Le temps est écoulé",
  end_expired: "Rien n’a été transmis.",
  title_end_locked: "Non reconnue",
  end_locked: "C’était trop souvent. Rien n’a été transmis.",
  title_end_code_locked: "Code faux",
  end_code_locked: "Un code faux a été tapé trop souvent. Rien n’a été transmis.",
  title_end_cancelled: "Annulé sur l’ordinateur",
  end_cancelled: "Rien n’a été transmis.",
  title_end_superseded: "Une connexion plus récente a commencé",
  end_superseded: "Celle-ci est terminée. Rien n’a été transmis.",
  title_end_ticket_stale: "Le code QR est ancien",
  end_ticket_stale: "Il change toutes les quelques secondes. Scannez celui qui est à l’écran "
    + "maintenant.",
  title_end_login_gone: "Cette connexion est terminée",
  end_login_gone: "Ou le lien n’est pas de nous. Rien n’a été transmis.",
  title_end_already_claimed: "Un autre téléphone a été plus rapide",
  end_already_claimed: "Un seul téléphone répond à une connexion. Si l’autre n’est pas le vôtre, "
    + "annulez sur l’ordinateur.",
  title_end_too_many_attempts: "Trop d’essais",
  end_too_many_attempts: "Attendez un peu avant de réessayer.",
  title_end_device_unbound: "Ce téléphone n’est pas configuré",
  end_device_unbound: "Enregistrez d’abord votre paume sur ce téléphone, puis scannez à nouveau le "
    + "code.",
  title_end_trouble: "Cela n’a pas marché",
  end_trouble: "Quelque chose a échoué de notre côté. Rien n’a été transmis.",
  back_to_computer: "Retournez à votre ordinateur.",
  start_again: "Pour vous connecter, recommencez sur l’ordinateur.",

  action_continue: "Continuer",
  action_first_time: "C’est la première fois : enregistrer ma paume",
  action_approve: "Se connecter",
  action_decline: "Refuser",
  action_report: "Ce n’était pas moi",
  action_cancel: "Annuler",
  action_try_again: "Réessayer",
  action_start_camera: "Allumer la caméra",
  action_switch_camera: "Autre caméra",
  action_torch: "Lumière",
  action_speak: "Lire à voix haute",
  action_agree: "Accepter et continuer",
  action_refuse: "Non, merci",
  action_skip_hand: "Sans cette main",
  action_set_up: "Enregistrer mes paumes",
  action_back_here: "Retour à la connexion",
  action_reload: "Réessayer",
  action_home: "Au début",
  action_my_apps: "Mes applications",
  action_withdraw: "Me retirer",
  action_come_back: "J’ai déjà utilisé ce service : verrouillage",
  action_use_screen_lock: "Utiliser le verrouillage",
  action_go_without: "Continuer sans",
  action_screen_lock: "Utiliser aussi le verrouillage du téléphone",
  action_stop_screen_lock: "Ne plus utiliser le verrouillage",
  action_lost_screen_lock: "Il ne fonctionne plus",
  action_begin_anew: "Recommencer",
  action_delete_me: "Me supprimer",
  action_deletion_code: "Un code pour plus tard",
  action_delete_after_palm: "Montrer ma paume et supprimer",
};
