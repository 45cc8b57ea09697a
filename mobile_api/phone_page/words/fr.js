/** The page's words in French. */

export default {
  offline: "Pas de connexion. Rien n’est perdu : la page continuera d’elle-même.",
  title_too_old: "Ce navigateur est trop ancien",
  too_old: "Mettez-le à jour, ou ouvrez le lien dans un autre navigateur. Les plus anciens qui "
    + "conviennent sont Safari 16 (iOS 16), Chrome 103 et Firefox 100.",
  language: "Langue",

  title_opening: "Un instant",
  title_sending: "Vérification de votre paume",
  title_finishing: "Enregistrement de vos paumes",

  title_home: "Se connecter avec la paume",
  home_text: "Pour vous connecter à une application, commencez-y : scannez le code QR avec votre "
    + "téléphone, ou appuyez sur « Utiliser cet appareil ».",
  home_first: "Première fois ici ? Enregistrez vos paumes. Déjà fait sur un autre téléphone ? « "
    + "Faire confiance à ce téléphone » ajoute celui-ci à votre compte.",
  home_broken: "Le lien est incomplet. Scannez à nouveau le code QR de l’ordinateur.",
  title_cleared: "La clé de ce téléphone a disparu",
  cleared: "Votre navigateur a supprimé la clé de ce téléphone, comme le fait Safari après sept jours "
    + "sans visite. Votre compte existe toujours : montrez votre paume, puis utilisez votre clé "
    + "d’accès ou votre code de secours.",
  home_new: "Ce téléphone est nouveau : votre compte ne lui fait pas encore confiance.",
  home_new_ready: "Le délai d’attente est passé. Montrez encore une fois votre paume, et ce "
    + "téléphone sera de confiance.",
  title_account: "Votre compte",
  account_palm: "Votre paume ouvre cela pour cinq minutes.",
  sign_ins_none: "Aucune connexion récente.",
  sign_ins_unknown: "L’une vous est inconnue ? Retirez le téléphone sous « Mes téléphones ».",
  sign_ins_more: "Tout afficher",
  title_settings: "Réglages",
  setting_on: "Activé",
  setting_off: "Désactivé",
  setting_screen_lock: "Verrouillage",
  title_request: "Un nouveau téléphone demande votre confiance",
  request_asked: "Demandé {when}",
  request_due: "Si vous ne faites rien, il pourra devenir de confiance après le {when}.",
  request_warning: "Approuvez seulement s’il est à vous, que vous l’avez avec vous et qu’il "
    + "affiche le numéro {number}. Sinon, refusez : quelqu’un a peut-être une image de votre "
    + "paume.",
  request_notification: "Approuvez seulement s’il est à vous et que vous l’avez avec vous. "
    + "Sinon, refusez : quelqu’un a peut-être une image de votre paume.",
  requests_more: "Autres téléphones qui le demandent : {count}. Autant à la fois ne sont sans "
    + "doute pas à vous.",
  notice_new_phone: "{date} : votre paume a été montrée à un nouveau téléphone. Si ce n’était pas "
    + "vous, retirez-le sous « Mes téléphones ».",
  notice_palm_disputed: "{date} : quelqu’un a essayé d’enregistrer une de vos paumes sur un autre "
    + "téléphone. Si ce n’était pas vous, quelqu’un en a peut-être une image.",
  notice_palm_released: "{date} : l’opérateur a retiré une paume de ce compte, car elle appartient "
    + "à quelqu’un d’autre.",
  notice_phone_trusted: "{date} : votre compte fait maintenant confiance à un téléphone de plus. "
    + "Si vous ne le connaissez pas, retirez-le sous « Mes téléphones ».",
  notice_passkey_added: "{date} : un autre téléphone a ajouté une clé d’accès à votre compte. Si "
    + "ce n’était pas vous, retirez ce téléphone sous « Mes téléphones ».",
  notice_code_taken: "{date} : un autre téléphone a obtenu un nouveau code de secours. Si ce "
    + "n’était pas vous, retirez ce téléphone sous « Mes téléphones ».",

  title_station_code: "Faire de ce navigateur un poste de connexion",
  station_code: "Saisissez le code que l’exploitant vous a donné. On pourra alors se connecter à "
    + "cet écran avec la seule paume.",
  station_code_wrong: "Ce code n’est pas le bon ou a déjà servi. Demandez-en un nouveau.",
  station_ready: "Prêt. Commencez la connexion dans une application sur cet écran, puis montrez "
    + "votre paume ici.",
  mode_picture_station: "Une image de votre paume sera envoyée, puis effacée juste après la "
    + "vérification. Rien de vous ne reste sur cet écran.",
  title_end_station_elsewhere: "Pas à ce poste",
  end_station_elsewhere: "La connexion n’a pas commencé sur cet écran, ou le poste n’est pas au "
    + "bon endroit. Recommencez dans l’application.",

  title_who_asks: "Êtes-vous en train de vous connecter ?",
  title_verify: "Confirmez que c’est toujours vous",
  network_different: "Depuis un autre réseau que celui de ce téléphone.",
  login_gets: "L’application reçoit un identifiant privé pour vous qu’aucune autre application n’a. "
    + "Rien d’autre.",
  login_warning: "Quelqu’un vous a envoyé ce lien ou son code QR ? Alors refusez : personne n’a "
    + "jamais besoin que vous vous connectiez pour lui.",
  login_unchecked: "Personne n’a vérifié ce nom.",
  other_browser: "Vous êtes-vous enregistré dans un autre navigateur de ce téléphone ? Alors "
    + "recommencez, et ouvrez-y le lien.",

  mode_loading: "Préparation : {done} sur {all} Mo",
  mode_template: "Votre image reste sur ce téléphone. Il calcule des nombres qui décrivent les "
    + "lignes de votre paume et n’envoie que ces nombres.",
  mode_picture_asked: "Une image de votre paume sera envoyée, car ce service demande des images. "
    + "Elle est supprimée juste après la vérification.",
  mode_picture_refused: "Cette fois, une image de votre paume sera envoyée, car les nombres seuls "
    + "n’ont pas suffi pour confirmer que ce téléphone est le vôtre. Elle est supprimée juste "
    + "après la vérification.",
  mode_picture_unbound: "Une image de votre paume sera envoyée, car ce téléphone "
    + "n’est pas encore associé à vous. Elle est supprimée juste après la vérification.",
  mode_picture_untrusted: "Une image de votre paume sera envoyée, car ce téléphone "
    + "n’est pas encore de confiance. Elle est supprimée juste après la vérification.",
  mode_picture_unable: "Une image de votre paume sera envoyée, car ce navigateur ne peut pas "
    + "calculer les nombres lui-même maintenant. Elle est supprimée juste après la vérification.",

  title_ready: "Avant d’allumer la caméra",
  camera_why: "Votre navigateur demandera peut-être l’autorisation d’utiliser la caméra. Elle "
    + "n’est allumée que pendant que vous montrez votre paume.",

  title_capture: "Montrez votre paume",
  title_capture_right: "Montrez votre paume droite",
  title_capture_left: "Montrez votre paume gauche",
  say_show_palm: "Montrez votre paume ouverte",
  say_other_side: "C’est le dos. Retournez la main",
  say_other_hand: "Prenez l’autre main",
  say_closer: "Rapprochez-vous",
  say_further: "Éloignez-vous",
  say_to_middle: "Mettez la main au milieu",
  say_fingers_apart: "Ouvrez la main, doigts écartés",
  say_more_light: "Trop sombre. Plus de lumière",
  say_less_glare: "Trop clair. Moins de lumière",
  say_uncover: "Quelque chose couvre la paume",
  say_hold_still: "Ne bougez pas",
  say_good: "Bien. Restez comme ça",
  say_burst: "Cela suffit. Choix de l’image la plus nette",
  say_move_hand: "Bougez un peu la main",

  mode_picture_challenge: "Suivez {steps} mouvements courts : chacun est annoncé et montré. "
    + "Quelques images de votre main en mouvement seront envoyées, pour vérifier que c’est une "
    + "main et non son image. Elles sont effacées juste après la vérification.",
  challenge_count: "Mouvement {step} sur {steps}",
  say_move_left: "Un peu à gauche",
  say_move_right: "Un peu à droite",
  say_move_up: "Un peu plus haut",
  say_move_down: "Un peu plus bas",
  say_fold_thumb: "Repliez le pouce sur la paume",
  say_spread_fingers: "Écartez les doigts",
  say_close_fingers: "Serrez les doigts",
  say_loose_fist: "Fermez doucement le poing",
  say_tilt_left: "Inclinez la main vers la gauche",
  say_tilt_right: "Inclinez la main vers la droite",
  say_tilt_up: "Inclinez la main vers le haut",
  say_tilt_down: "Inclinez la main vers le bas",
  action_motions: "Mouvements",
  title_motions: "Quels mouvements vous sont faciles ?",
  motions: "Décochez chaque mouvement difficile pour vous. Au moins deux restent cochés : seuls "
    + "ceux-là vous seront demandés.",
  motions_code: "Code de l’exploitant. Il est nécessaire pour laisser de côté des mouvements, "
    + "sauf pour vous connecter sur un téléphone auquel votre compte fait confiance.",
  title_challenge_failed: "Cela n’a pas encore marché",
  challenge_code_needed: "Pour laisser de côté des mouvements, il faut un code de l’exploitant "
    + "de ce service. Saisissez-le sous « Mouvements », ou n’en laissez aucun de "
    + "côté.",
  challenge_not_followed: "Vos mouvements n’ont pas pu être suivis. Gardez toute la main dans "
    + "l’image et bougez quand on vous le dit.",
  challenge_too_late: "Cela a pris trop de temps. Prenez un moment : le temps ne compte qu’à "
    + "partir du moment où vous montrez la paume.",
  challenge_cannot_tell: "Les images n’étaient pas assez nettes. Essayez une lumière plus "
    + "douce, sans lampe ni fenêtre derrière la main.",
  challenge_not_one_hand: "Montrez une seule main, et toujours la même.",
  challenge_stopped: "Arrêt au mouvement {step} sur {steps} : « {motion} ».",
  challenge_unseen: "Ce téléphone n’a pas vu le mouvement {step} sur {steps} : « {motion} ».",

  title_camera_denied: "L’accès à la caméra est bloqué",
  camera_denied: "Autorisez la caméra pour cette page derrière l’icône à côté de l’adresse ; sous "
    + "iOS, aussi dans les Réglages, sous le nom du navigateur. Puis réessayez.",
  title_camera_missing: "Aucune caméra trouvée",
  camera_missing: "Cet appareil n’a pas de caméra que le navigateur puisse utiliser. Branchez-en "
    + "une et réessayez, ou prenez un téléphone.",
  title_camera_busy: "La caméra est utilisée",
  camera_busy: "Une autre application ou page utilise la caméra. Fermez-la, puis réessayez.",
  title_camera_stopped: "La caméra s’est arrêtée",
  camera_stopped: "Elle a été désactivée. Appuyez sur « Réessayer ».",
  title_camera_paused: "La caméra vous attend",
  camera_paused: "Votre téléphone économise l’énergie et ne lance pas l’image de la caméra de "
    + "lui-même. Appuyez sur le bouton.",
  title_camera_unsupported: "Ce navigateur ne peut pas utiliser la caméra",
  camera_unsupported: "Ouvrez cette page dans le navigateur habituel de votre téléphone. Les "
    + "navigateurs intégrés à d’autres applications ne peuvent souvent pas utiliser la caméra.",

  title_retry: "Votre paume n’a pas été reconnue",
  retry: "Essais restants : {left}.",
  retry_help: "Essayez avec plus de lumière, une paume propre, les doigts écartés ou l’autre "
    + "main. Si vous n’avez pas encore enregistré votre paume, faites-le d’abord.",

  title_refused_picture: "Cette image ne convient pas",
  refused_picture: "Le service n’a pas pu la lire. Réessayez.",
  refused_presentation_attack: "Montrez votre propre main, sans rien devant.",
  refused_sample_cmyk: "Elle a les couleurs de l’imprimerie (CMYK). Essayez un autre navigateur "
    + "ou une autre caméra.",
  title_refused_busy: "Le service est occupé",
  refused_busy: "Rien n’est perdu. Réessayez dans un instant.",

  approve_question: "Votre paume a été reconnue. Rien n’a encore été transmis.",

  title_code: "Tapez ceci sur votre ordinateur",
  code_help: "Tapez-y ces quatre chiffres pour terminer la connexion.",
  code_warning: "Ne communiquez jamais ce code. Personne qui vous appelle ou vous écrit n’en a "
    + "besoin.",

  step: "Étape {step} sur {steps}",
  title_consent: "Avant d’enregistrer votre paume",
  consent_version: "Version {version}",
  consent_agree: "J’ai lu ce texte et j’accepte cette utilisation de ma paume.",
  consent_missing: "Cochez la case si vous acceptez. Sinon, rien n’est enregistré.",
  title_keeps_nothing: "Ce navigateur ne garde rien",
  keeps_nothing: "C’est peut-être une fenêtre privée. Quand vous la fermerez, ce téléphone ne sera "
    + "plus de confiance. Ouvrez plutôt cette page dans votre navigateur habituel. Si vous "
    + "continuez, gardez le code de secours que vous recevrez à la fin : c’est votre moyen de "
    + "revenir.",
  title_palm_right: "D’abord votre paume droite",
  palm_right_help: "Tenez-la ouverte devant la caméra, doigts écartés. Il n’y a pas de bouton : "
    + "la caméra prend les images d’elle-même. Elle demande des vues différentes, pour vous "
    + "reconnaître ensuite sous une autre lumière et dans une autre position.",
  title_palm_left: "Maintenant votre paume gauche",
  palm_left_help: "Faites de même avec l’autre main.",
  title_enrolled: "Tout est prêt",
  enrolled: "Désormais, montrez une paume pour vous connecter.",
  title_losing: "Si vous perdez ce téléphone",
  losing_phone: "Votre paume seule n’ouvre pas votre compte sur un autre téléphone : il faut "
    + "aussi un code de secours, ou un téléphone de confiance.",
  losing_wait: "Sans l’un ni l’autre, il vous faudra attendre {time}.",
  losing_account: "Sans l’un ni l’autre, votre compte est perdu.",
  losing_key: "De plus, ce navigateur supprime la clé de ce téléphone si vous n’ouvrez pas cette page "
    + "pendant sept jours. C’est comme si vous perdiez le téléphone.",
  losing_passkey: "Le verrouillage du téléphone a créé une clé d’accès. Si elle est synchronisée "
    + "avec votre prochain téléphone, elle et votre paume y suffisent. Un code de secours marche "
    + "toujours.",
  losing_code: "Obtenez un code de secours maintenant, ou plus tard sous « Réglages ».",
  title_enrolment_samples_disagree: "Les images ne correspondent pas",
  enrolment_samples_disagree: "Les deux mains ont été confondues, ou une image était mauvaise. "
    + "Veuillez réessayer.",
  title_enrolment_too_few_samples: "Trop peu d’images",
  enrolment_too_few_samples: "Il faut au moins une paume. Veuillez réessayer.",
  title_enrolment_enrolment_gone: "Cela a pris trop de temps",
  enrolment_enrolment_gone: "Rien n’a été enregistré. Veuillez recommencer.",
  title_enrolment_consent_changed: "Le texte a changé",
  enrolment_consent_changed: "Veuillez lire la nouvelle version.",
  title_enrolment_already_enrolled: "Cette paume est déjà enregistrée",
  enrolment_already_enrolled: "Si c’est vous qui l’avez enregistrée, montrez-la pour vous "
    + "connecter. Ce téléphone sera de nouveau à vous, comme nouveau téléphone.",
  dispute: "Si ce n’était pas vous, donnez ce code à l’assistance : {email}. Elle pourra ainsi "
    + "retirer votre paume de l’autre compte.",
  dispute_other: "Votre autre paume n’est pas encore enregistrée. Vous pouvez l’enregistrer seule "
    + "maintenant.",
  title_enrolment_palm_mismatch: "Ce téléphone est associé à une autre paume",
  enrolment_palm_mismatch: "Montrez aussi la paume enregistrée avec ce téléphone.",
  title_new_recovery_code: "Votre code de secours",
  new_recovery_code: "Notez-le et gardez-le en lieu sûr : il ne pourra plus être affiché. Si vous "
    + "perdez ce téléphone, le code et votre paume rendront un autre téléphone de confiance. Les "
    + "codes précédents ne sont plus valables.",
  code_kept: "Je l’ai noté ou enregistré.",
  code_missing: "Cochez la case quand vous avez gardé le code.",

  my_apps: "Vous vous êtes connecté à ces applications. Chacune vous connaît sous un identifiant privé différent.",
  my_apps_none: "Aucune application n’est connectée.",
  my_apps_since: "Depuis le {date}",
  title_withdraw: "Déconnecter cette application ?",
  withdraw_signs_out: "Votre session y sera fermée.",
  withdraw: "L’application ne vous reconnaîtra plus. Si vous vous reconnectez, elle vous "
    + "traitera comme un nouvel utilisateur.",
  withdrawn: "Déconnectée.",
  my_phones: "Ces téléphones font partie de votre compte. Retirez ceux que vous ne connaissez pas.",
  phone_this: "Ce téléphone",
  phone_state_trusted: "De confiance",
  phone_state_new: "Nouveau, pas de confiance",
  phone_last_used: "Dernière utilisation : {date}",
  phone_removed: "un téléphone retiré",
  title_sign_ins: "Dernières connexions",
  sign_in_station: "à un poste de connexion",
  sign_in_palm: "paume seule",
  push: "Si un nouveau téléphone demande à être de confiance, ce téléphone l’affiche, même quand "
    + "cette page est fermée. L’éditeur de votre navigateur transmet le message et sait "
    + "seulement qu’il existe.",
  push_home_screen: "Sur iOS, seule une page de l’écran d’accueil le peut : appuyez sur « Partager "
    + "», puis « Sur l’écran d’accueil ». Cette page a son propre stockage : ouvrez-la et "
    + "choisissez « Faire confiance à ce téléphone ».",
  title_push_denied: "Les notifications sont désactivées",
  push_denied: "Autorisez les notifications de cette page dans les réglages de votre navigateur, "
    + "puis réessayez.",
  title_remove_phone: "Retirer ce téléphone ?",
  remove_phone: "Il ne fera plus partie de votre compte. Pour revenir, il lui faudra votre paume, "
    + "et il sera un nouveau téléphone. Les clés d’accès qu’aucun autre de vos téléphones n’a "
    + "créées ou utilisées et votre code de secours prennent fin : obtenez-en un nouveau sous "
    + "« Réglages ».",
  remove_end_sign_ins: "Fermer aussi les sessions des applications ouvertes avec ce téléphone.",
  title_phone_refused: "Le téléphone a été retiré",
  phone_refused: "Il ne fait plus partie de votre compte, et ses connexions ont pris fin. S’il "
    + "n’était pas à vous, quelqu’un a votre paume ou une image d’elle.",
  title_phone_gone: "Cette demande est terminée",
  title_phone_not_trusted: "Ce téléphone n’est pas encore de confiance",
  phone_not_trusted: "Utilisez pour cela un téléphone de confiance, ou faites d’abord confiance à "
    + "celui-ci.",
  title_phone_owns_later: "Ce téléphone ne peut pas encore le faire",
  phone_owns_later: "Il est de confiance après une attente. Pendant sept jours, utilisez pour "
    + "cela un téléphone de confiance plus ancien, ou confirmez celui-ci par une clé d’accès ou "
    + "votre code de secours.",
  trust_phone: "Un téléphone de confiance peut montrer vos applications et modifier votre compte. "
    + "Pour commencer, montrez une paume que vous avez déjà enregistrée.",
  title_trust_ways: "Ce téléphone est nouveau",
  trust_ways: "Votre paume a été reconnue. Choisissez comment votre compte peut faire confiance à ce "
    + "téléphone.",
  no_trust_way: "Votre compte ne peut pas faire confiance à ce téléphone pour le moment. Demandez à "
    + "l’opérateur de ce service.",
  title_trust_asked: "Approuvez sur votre autre téléphone",
  trust_asked: "Ouvrez cette page sur un téléphone de confiance. Approuvez-y la demande qui porte "
    + "ce numéro :",
  trust_asked_wait: "Revenez ici après le {when} et montrez à nouveau votre paume. D’ici là, vos "
    + "téléphones de confiance montrent cette demande et peuvent la refuser.",
  request_refused: "Un autre téléphone a refusé celui-ci.",
  passkey_failed: "L’opération a été annulée, ou il n’y a pas ici de clé d’accès pour votre "
    + "compte. Choisissez à nouveau.",
  title_phone_trusted: "Le téléphone est de confiance",
  phone_trusted: "Il peut maintenant montrer vos applications et modifier votre compte.",
  title_recover: "Saisissez votre code de secours",
  recover_wrong: "Ce code n’est pas le bon. Vérifiez-le et réessayez.",
  title_screen_lock: "Utiliser aussi le verrouillage de votre téléphone ?",
  screen_lock: "Empreinte, visage ou code : ce qui déverrouille ce téléphone. Si ce navigateur "
    + "perd ses données, le verrouillage associe de nouveau ce téléphone à vous, et vous n’avez "
    + "pas à enregistrer vos paumes de nouveau.",
  screen_lock_when: "Nous le demandons de temps en temps à la connexion, et avant toute "
    + "déconnexion d’application ou suppression. Il reste sur ce téléphone : nous ne le voyons "
    + "jamais.",
  title_screen_lock_ready: "Maintenant, le verrouillage du téléphone",
  screen_lock_ready: "Votre paume a été reconnue. Appuyez sur le bouton : votre téléphone "
    + "demandera son déverrouillage.",
  screen_lock_name: "Connexion par la paume",
  title_screen_lock_failed: "Le verrouillage du téléphone n’a pas fonctionné",
  screen_lock_failed: "L’opération a été annulée ou a pris trop de temps. Vous pouvez aussi "
    + "continuer sans.",
  title_confirm_screen_lock: "Confirmez avec le verrouillage du téléphone",
  confirm_screen_lock: "Cela confirme que vous avez toujours ce téléphone.",
  title_lost_screen_lock: "Si le verrouillage du téléphone ne fonctionne plus",
  lost_screen_lock: "Ce navigateur peut supprimer sa clé et recommencer. À votre prochaine "
    + "connexion, votre paume associera de nouveau ce téléphone à vous, comme nouveau téléphone.",
  title_stop_screen_lock: "Ne plus utiliser le verrouillage du téléphone ?",
  stop_screen_lock: "Votre paume continue de fonctionner. Mais si ce navigateur perd ses données, "
    + "seule votre paume pourra associer de nouveau ce téléphone à vous.",
  title_screen_lock_stopped: "Le verrouillage du téléphone n’est plus utilisé",
  screen_lock_stopped: "Vous pouvez aussi supprimer la clé d’accès dans les réglages de ce "
    + "téléphone.",

  delete_me: "Les données qui décrivent vos paumes sont supprimées immédiatement et "
    + "définitivement.",
  delete_me_apps: "Aucune application ne vous reconnaîtra plus, et vous perdrez l’accès à ce que "
    + "vous y avez.",
  delete_me_palm: "Pour confirmer que c’est vous, montrez encore une fois votre paume.",
  delete_me_later: "Si un jour vous risquez de ne plus pouvoir montrer votre paume, obtenez un "
    + "code de suppression maintenant.",
  title_deletion_code: "Votre code de suppression",
  deletion_code: "Notez-le et gardez-le en lieu sûr : il n’est montré qu’une fois. Toute personne "
    + "qui l’a peut demander à l’exploitant de supprimer votre compte. Les codes précédents ne "
    + "sont plus valables.",
  title_deleted: "Compte supprimé",
  deleted: "Nous ne conservons plus rien sur vos paumes, et ce téléphone a supprimé sa clé.",
  title_own_palm_mismatch: "Cette paume n’est pas associée à ce téléphone",
  own_palm_mismatch: "Seule la personne qui a configuré ce téléphone peut faire cela. Essayez "
    + "avec plus de lumière ou l’autre main.",

  title_end_go: "Terminé",
  end_go: "Vous êtes connecté.",
  title_end_declined: "Refusé",
  end_declined: "Rien n’a été transmis.",
  title_end_reported: "Signalé",
  end_reported: "La connexion a été arrêtée et n’est plus valable.",
  title_end_expired: "Le temps est écoulé",
  title_end_locked: "Non reconnue",
  end_locked: "Trop d’essais. Rien n’a été transmis. Vous pouvez recommencer tout de suite.",
  title_end_code_locked: "Code incorrect",
  end_code_locked: "Le code a été mal saisi trop de fois. Rien n’a été transmis.",
  title_end_cancelled: "Annulé sur l’ordinateur",
  title_end_superseded: "Une connexion plus récente a été lancée",
  end_superseded: "Celle-ci est terminée. Rien n’a été transmis.",
  title_end_ticket_stale: "Ce code QR a expiré",
  end_ticket_stale: "Il change toutes les quelques secondes. Scannez celui qui est à l’écran "
    + "maintenant.",
  title_end_login_gone: "Cette connexion n’est plus disponible",
  end_login_gone: "Elle est terminée, ou le lien n’est pas valable.",
  title_end_already_claimed: "Un autre téléphone répond déjà",
  end_already_claimed: "Un seul téléphone peut répondre à une connexion. Si l’autre n’est pas le "
    + "vôtre, annulez sur l’ordinateur.",
  title_end_too_many_attempts: "Trop d’essais",
  end_too_many_attempts: "Réessayez après le {when}.",
  title_end_device_unbound: "Ce téléphone n’est pas configuré",
  end_device_unbound: "Enregistrez d’abord votre paume sur ce téléphone, puis scannez à nouveau le "
    + "code.",
  title_end_phone_not_trusted: "Cette application exige un téléphone de confiance",
  end_phone_not_trusted: "Rien n’a été transmis. Connectez-vous avec un téléphone de confiance, ou "
    + "faites d’abord confiance à celui-ci.",
  title_end_palm_disputed: "Cette paume est en cours de vérification",
  end_palm_disputed: "Deux personnes disent qu’elle est à elles. D’ici là, utilisez votre autre "
    + "paume, ou un téléphone de confiance.",
  title_end_trouble: "Un problème est survenu",
  end_trouble: "Il y a eu un problème de notre côté.",
  back_to_computer: "Retournez à votre ordinateur.",
  start_again: "Pour vous connecter, recommencez sur l’ordinateur.",

  action_continue: "Continuer",
  action_first_time: "C’est la première fois : enregistrer ma paume",
  action_approve: "Se connecter",
  action_decline: "Refuser",
  action_report: "Ce n’était pas moi",
  action_cancel: "Annuler",
  action_try_again: "Réessayer",
  action_start_camera: "Allumer la caméra",
  action_no_wait: "Continuer sans attendre",
  action_switch_camera: "Changer de caméra",
  action_torch: "Lumière",
  action_speak: "Lire à voix haute",
  action_agree: "Accepter et continuer",
  action_refuse: "Non, merci",
  action_skip_hand: "Passer cette main",
  action_show_palm: "Montrer ma paume et me connecter",
  action_other_palm: "Enregistrer mon autre paume",
  action_set_up: "Enregistrer mes paumes",
  action_back_here: "Retour à la connexion",
  action_home: "Retour au début",
  action_my_apps: "Mes applications",
  action_my_phones: "Mes téléphones",
  action_trust_phone: "Faire confiance à ce téléphone",
  action_use_passkey: "Utiliser votre clé d’accès",
  action_ask_phone: "Approuver sur votre autre téléphone",
  action_approve_phone: "Approuver",
  action_refuse_phone: "Refuser",
  action_refuse_all: "Tout refuser",
  action_remove_phone: "Retirer",
  action_recover: "Saisir votre code de secours",
  action_wait: "Attendre quelques jours",
  action_other_way: "Choisir un autre moyen",
  action_recovery_code: "Obtenir un nouveau code de secours",
  action_show_code: "Afficher mon code de secours",
  action_push: "M’avertir",
  action_push_on: "Activer",
  action_push_off: "Désactiver",
  action_copy: "Copier",
  copied: "Copié",
  action_withdraw: "Déconnecter",
  action_use_screen_lock: "Utiliser le verrouillage",
  action_go_without: "Continuer sans",
  action_screen_lock: "Utiliser aussi le verrouillage du téléphone",
  action_stop_screen_lock: "Ne plus utiliser le verrouillage",
  action_lost_screen_lock: "Il ne fonctionne plus",
  action_begin_again: "Recommencer",
  action_delete_me: "Supprimer mon compte",
  action_deletion_code: "Obtenir un code de suppression",
  action_delete_after_palm: "Montrer ma paume et supprimer",
};

/** What a phone is called where the page is open on something else. */
export const device = [
  ["([Cc])e téléphone", "$1et appareil"],
  ["([LlDd])e téléphone", "$1’appareil"],
  ["du téléphone", "de l’appareil"],
  ["nouveau téléphone", "nouvel appareil"],
  ["téléphone", "appareil"],
];
