/** The page's words in Spanish. */

export default {
  offline: "Sin conexión. No se pierde nada: la página continuará por sí sola.",
  title_too_old: "Este navegador es demasiado antiguo",
  too_old: "Actualícelo o abra el enlace en otro navegador. Los más antiguos que sirven son Safari "
    + "16 (iOS 16), Chrome 103 y Firefox 100.",
  language: "Idioma",

  title_opening: "Un momento",
  title_sending: "Comprobando su palma",
  title_finishing: "Guardando sus palmas",

  title_home: "Iniciar sesión con la palma",
  home_text: "Para iniciar sesión en una aplicación, empiece en ella: escanee el código QR con "
    + "su teléfono o pulse «Usar este dispositivo».",
  home_first: "¿Es su primera vez? Registre sus palmas. ¿Ya lo hizo en otro teléfono? «Confiar en "
    + "este teléfono» añade este a su cuenta.",
  home_broken: "El enlace está incompleto. Escanee de nuevo el código QR del ordenador.",
  title_cleared: "La clave de este teléfono ya no está",
  cleared: "Su navegador ha borrado la clave de este teléfono, como hace Safari tras siete días sin "
    + "visitas. Su cuenta sigue existiendo: muestre su palma y use después su llave de acceso o su "
    + "código de recuperación.",
  home_new: "Este teléfono es nuevo: su cuenta aún no confía en él.",
  home_new_ready: "El tiempo de espera ha terminado. Muestre su palma una vez más y este teléfono "
    + "será de confianza.",
  title_account: "Su cuenta",
  account_palm: "Su palma abre esto durante cinco minutos.",
  sign_ins_none: "No hay inicios de sesión recientes.",
  sign_ins_unknown: "¿No reconoce alguno? Quite el teléfono en «Mis teléfonos».",
  sign_ins_more: "Mostrar todo",
  title_settings: "Ajustes",
  setting_on: "Activado",
  setting_off: "Desactivado",
  setting_screen_lock: "Bloqueo de pantalla",
  title_request: "Un teléfono nuevo pide su confianza",
  request_asked: "Solicitado {when}",
  request_due: "Si no hace nada, podrá ser de confianza después del {when}.",
  request_warning: "Apruébelo solo si es suyo, lo tiene con usted y muestra el número {number}. "
    + "Si no, rechácelo: alguien puede tener una imagen de su palma.",
  request_notification: "Apruébelo solo si es suyo y lo tiene con usted. Si no, rechácelo: "
    + "alguien puede tener una imagen de su palma.",
  requests_more: "Más teléfonos que lo piden: {count}. Tantos a la vez difícilmente son suyos.",
  notice_new_phone: "{date}: se mostró su palma a un teléfono nuevo. Si no fue usted, quítelo en "
    + "«Mis teléfonos».",
  notice_palm_disputed: "{date}: alguien intentó registrar una de sus palmas en otro teléfono. Si "
    + "no fue usted, puede que alguien tenga una imagen de ella.",
  notice_palm_released: "{date}: el operador quitó una palma de esta cuenta, porque pertenece a "
    + "otra persona.",
  notice_phone_trusted: "{date}: su cuenta confía ahora en un teléfono más. Si no lo conoce, "
    + "quítelo en «Mis teléfonos».",
  notice_passkey_added: "{date}: otro teléfono añadió una llave de acceso a su cuenta. Si no fue "
    + "usted, quite ese teléfono en «Mis teléfonos».",
  notice_code_taken: "{date}: otro teléfono obtuvo un nuevo código de recuperación. Si no fue "
    + "usted, quite ese teléfono en «Mis teléfonos».",

  title_station_code: "Convertir este navegador en un puesto",
  station_code: "Escriba el código que le dio el operador. Después se podrá iniciar sesión en "
    + "esta pantalla solo con la palma.",
  station_code_wrong: "Este código no es correcto o ya se usó. Pida uno nuevo.",
  station_ready: "Listo. Empiece el inicio de sesión en una aplicación de esta pantalla y muestre "
    + "aquí la palma.",
  mode_picture_station: "Se enviará una imagen de su palma y se borrará justo después de la "
    + "comprobación. En esta pantalla no queda nada suyo.",
  title_end_station_elsewhere: "En este puesto no",
  end_station_elsewhere: "El inicio de sesión no empezó en esta pantalla, o el puesto está en "
    + "otro lugar. Empiece de nuevo en la aplicación.",

  title_who_asks: "¿Está iniciando sesión?",
  title_verify: "Confirme que sigue siendo usted",
  network_different: "Desde otra red que la de este teléfono.",
  login_gets: "La aplicación recibe un identificador privado suyo que ninguna otra aplicación tiene. Nada "
    + "más.",
  login_warning: "¿Alguien le envió este enlace o su código QR? Entonces rechace: nadie necesita "
    + "nunca que usted inicie sesión por él.",
  login_unchecked: "Nadie ha comprobado este nombre.",
  other_browser: "¿Se registró en otro navegador de este teléfono? Entonces empiece de nuevo y "
    + "abra allí el enlace.",

  mode_loading: "Preparando: {done} de {all} MB",
  mode_template: "Su imagen se queda en este teléfono. El teléfono calcula números que describen "
    + "las líneas de su palma y envía solo esos números.",
  mode_picture_asked: "Se enviará una imagen de su palma, porque este servicio pide imágenes. Se "
    + "borra justo después de la comprobación.",
  mode_picture_refused: "Esta vez se enviará una imagen de su palma, porque los números solos no "
    + "bastaron para confirmar que este teléfono es suyo. Se borra justo después de la "
    + "comprobación.",
  mode_picture_unbound: "Se enviará una imagen de su palma, porque este teléfono aún no "
    + "está vinculado a usted. Se borra justo después de la comprobación.",
  mode_picture_untrusted: "Se enviará una imagen de su palma, porque este teléfono aún no "
    + "es de confianza. Se borra justo después de la comprobación.",
  mode_picture_unable: "Se enviará una imagen de su palma, porque este navegador no puede "
    + "calcular los números ahora. Se borra justo después de la comprobación.",

  title_ready: "Antes de encender la cámara",
  camera_why: "Es posible que su navegador pida permiso para usar la cámara. Solo está encendida "
    + "mientras muestra la palma.",

  title_capture: "Muestre su palma",
  title_capture_right: "Muestre su palma derecha",
  title_capture_left: "Muestre su palma izquierda",
  say_show_palm: "Muestre la palma abierta",
  say_other_side: "Es el dorso. Dé la vuelta a la mano",
  say_other_hand: "Use la otra mano",
  say_closer: "Acérquese",
  say_further: "Aléjese",
  say_to_middle: "Lleve la mano al centro",
  say_fingers_apart: "Abra la mano, dedos separados",
  say_more_light: "Muy oscuro. Más luz",
  say_less_glare: "Demasiado brillo. Menos luz",
  say_uncover: "Algo cubre la palma",
  say_hold_still: "No se mueva",
  say_good: "Bien. Siga así",
  say_burst: "Es suficiente. Eligiendo la imagen más nítida",
  say_move_hand: "Mueva un poco la mano",

  mode_picture_challenge: "Siga {steps} movimientos cortos: cada uno se dice y se muestra. Se "
    + "enviarán algunas imágenes de su mano en movimiento, para comprobar que es una mano y no "
    + "una imagen de ella. Se borran justo después de la comprobación.",
  challenge_count: "Movimiento {step} de {steps}",
  say_move_left: "Un poco a la izquierda",
  say_move_right: "Un poco a la derecha",
  say_move_up: "Un poco más arriba",
  say_move_down: "Un poco más abajo",
  say_fold_thumb: "Doble el pulgar sobre la palma",
  say_spread_fingers: "Separe los dedos",
  say_close_fingers: "Junte los dedos",
  say_loose_fist: "Cierre el puño sin apretar",
  say_tilt_left: "Incline la mano hacia la izquierda",
  say_tilt_right: "Incline la mano hacia la derecha",
  say_tilt_up: "Incline la mano hacia arriba",
  say_tilt_down: "Incline la mano hacia abajo",
  action_motions: "Movimientos",
  title_motions: "¿Qué movimientos le resultan fáciles?",
  motions: "Desmarque cada movimiento que le resulte difícil. Al menos dos quedan marcados: solo "
    + "se le pedirán esos.",
  motions_code: "Código del operador. Hace falta para omitir movimientos, salvo al iniciar "
    + "sesión en un teléfono en el que su cuenta confía.",
  title_challenge_failed: "Todavía no ha funcionado",
  challenge_code_needed: "Para omitir movimientos hace falta un código del operador de este "
    + "servicio. Escríbalo en «Movimientos», o no omita ninguno.",
  challenge_not_followed: "No se pudieron seguir sus movimientos. Mantenga toda la mano en la "
    + "imagen y muévala cuando se le indique.",
  challenge_too_late: "Ha tardado demasiado. Tómese un momento: el tiempo solo empieza cuando "
    + "muestra la palma.",
  challenge_cannot_tell: "Las imágenes no eran lo bastante claras. Pruebe con una luz más "
    + "suave, sin lámparas ni ventanas detrás de la mano.",
  challenge_not_one_hand: "Muestre una sola mano, y siempre la misma.",
  challenge_stopped: "Se detuvo en el movimiento {step} de {steps}: «{motion}».",
  challenge_unseen: "Este teléfono no vio el movimiento {step} de {steps}: «{motion}».",

  title_camera_denied: "El acceso a la cámara está bloqueado",
  camera_denied: "Permita la cámara para esta página tras el icono junto a la dirección; en iOS, "
    + "también en Ajustes, bajo el nombre del navegador. Después, inténtelo de nuevo.",
  title_camera_missing: "No se encontró ninguna cámara",
  camera_missing: "Este dispositivo no tiene una cámara que el navegador pueda usar. Conecte una e "
    + "inténtelo de nuevo, o use un teléfono.",
  title_camera_busy: "La cámara está en uso",
  camera_busy: "Otra aplicación o página está usando la cámara. Ciérrela e inténtelo de nuevo.",
  title_camera_stopped: "La cámara se ha detenido",
  camera_stopped: "Se apagó. Pulse «Intentar de nuevo».",
  title_camera_paused: "La cámara le espera",
  camera_paused: "Su teléfono ahorra batería y no inicia la imagen de la cámara por sí solo. Pulse "
    + "el botón.",
  title_camera_unsupported: "Este navegador no puede usar la cámara",
  camera_unsupported: "Abra esta página en el navegador habitual de su teléfono. Los navegadores "
    + "dentro de otras aplicaciones a menudo no pueden usar la cámara.",

  title_retry: "No se reconoció su palma",
  retry: "Intentos restantes: {left}.",
  retry_help: "Pruebe con más luz, la palma limpia, los dedos separados o la otra mano. Si aún no "
    + "ha registrado su palma, hágalo primero.",

  title_refused_picture: "Esta imagen no sirve",
  refused_picture: "El servicio no pudo leerla. Inténtelo de nuevo.",
  refused_presentation_attack: "Muestre su propia mano, sin nada delante.",
  refused_sample_cmyk: "Tiene colores de imprenta (CMYK). Pruebe con otro navegador u otra cámara.",
  title_refused_busy: "El servicio está ocupado",
  refused_busy: "No se pierde nada. Inténtelo de nuevo en un momento.",

  approve_question: "Se reconoció su palma. Aún no se ha compartido nada.",

  title_code: "Escriba esto en su ordenador",
  code_help: "Escriba allí estas cuatro cifras para terminar de iniciar sesión.",
  code_warning: "No comparta nunca este código. Nadie que le llame o le escriba lo necesita.",

  step: "Paso {step} de {steps}",
  title_consent: "Antes de registrar su palma",
  consent_version: "Versión {version}",
  consent_agree: "He leído esto y acepto este uso de mi palma.",
  consent_missing: "Marque la casilla si está de acuerdo. Si no, no se registra nada.",
  title_keeps_nothing: "Este navegador no guarda nada",
  keeps_nothing: "Quizá sea una ventana privada. Cuando la cierre, este teléfono dejará de ser de "
    + "confianza. Es mejor abrir esta página en su navegador habitual. Si continúa, guarde el "
    + "código de recuperación que recibirá al final: es su forma de volver.",
  title_palm_right: "Primero la palma derecha",
  palm_right_help: "Manténgala abierta ante la cámara, con los dedos separados. No hay botón: la "
    + "cámara toma las imágenes por sí sola. Le pedirá vistas distintas, para reconocerle después "
    + "con otra luz y otra postura.",
  title_palm_left: "Ahora la palma izquierda",
  palm_left_help: "Haga lo mismo con la otra mano.",
  title_enrolled: "Todo está listo",
  enrolled: "A partir de ahora, muestre una palma para iniciar sesión.",
  title_losing: "Si pierde este teléfono",
  losing_phone: "Su palma sola no abre su cuenta en otro teléfono: hace falta también un código "
    + "de recuperación o un teléfono de confianza.",
  losing_wait: "Sin ninguno de los dos, tendrá que esperar {time}.",
  losing_account: "Sin ninguno de los dos, su cuenta se pierde.",
  losing_key: "Además, este navegador borra la clave de este teléfono si no abre esta página durante "
    + "siete días. Es como perder el teléfono.",
  losing_passkey: "Su bloqueo de pantalla ha creado una llave de acceso. Si se sincroniza con su "
    + "próximo teléfono, allí bastan ella y su palma. Un código de recuperación sirve siempre.",
  losing_code: "Obtenga un código de recuperación ahora, o más tarde en «Ajustes».",
  title_enrolment_samples_disagree: "Las imágenes no coinciden",
  enrolment_samples_disagree: "Se confundieron las manos, o una imagen era mala. Inténtelo de "
    + "nuevo.",
  title_enrolment_too_few_samples: "Muy pocas imágenes",
  enrolment_too_few_samples: "Hace falta al menos una palma. Inténtelo de nuevo.",
  title_enrolment_enrolment_gone: "Ha tardado demasiado",
  enrolment_enrolment_gone: "No se guardó nada. Empiece de nuevo.",
  title_enrolment_consent_changed: "El texto ha cambiado",
  enrolment_consent_changed: "Lea la nueva versión, por favor.",
  title_enrolment_already_enrolled: "Esta palma ya está registrada",
  enrolment_already_enrolled: "Si la registró usted, muéstrela para iniciar sesión. Así este "
    + "teléfono volverá a ser suyo, como teléfono nuevo.",
  dispute: "Si no fue usted, dé este código al servicio de ayuda: {email}. Con él podrán quitar su "
    + "palma de la otra cuenta.",
  dispute_other: "Su otra palma aún no está registrada. Puede registrarla sola ahora.",
  title_enrolment_palm_mismatch: "Este teléfono está vinculado a otra palma",
  enrolment_palm_mismatch: "Muestre también la palma que se registró con este teléfono.",
  title_new_recovery_code: "Su código de recuperación",
  new_recovery_code: "Anótelo y guárdelo en lugar seguro: no se puede mostrar de nuevo. Si pierde "
    + "este teléfono, el código y su palma harán de confianza otro teléfono. Los códigos "
    + "anteriores ya no valen.",
  code_kept: "Lo he anotado o guardado.",
  code_missing: "Marque la casilla cuando haya guardado el código.",

  my_apps: "Ha iniciado sesión en estas aplicaciones. Cada una le conoce con un identificador privado distinto.",
  my_apps_none: "No hay aplicaciones conectadas.",
  my_apps_since: "Desde el {date}",
  title_withdraw: "¿Desconectar esta aplicación?",
  withdraw_signs_out: "Se cerrará su sesión allí.",
  withdraw: "La aplicación dejará de reconocerle. Si vuelve a iniciar sesión, le tratará como "
    + "a un usuario nuevo.",
  withdrawn: "Desconectada.",
  my_phones: "Estos teléfonos pertenecen a su cuenta. Quite los que no conozca.",
  phone_this: "Este teléfono",
  phone_state_trusted: "De confianza",
  phone_state_new: "Nuevo, sin confianza",
  phone_last_used: "Último uso: {date}",
  phone_removed: "un teléfono que se quitó",
  title_sign_ins: "Últimos inicios de sesión",
  sign_in_station: "en un puesto",
  sign_in_palm: "solo la palma",
  push: "Si un teléfono nuevo pide confianza, este teléfono lo muestra, aunque esta página esté "
    + "cerrada. El fabricante de su navegador transmite el mensaje y solo sabe que existe.",
  push_home_screen: "En iOS solo puede hacerlo una página de la pantalla de inicio: pulse "
    + "«Compartir» y «Añadir a pantalla de inicio». Esa página tiene su propio almacenamiento: "
    + "ábrala y elija «Confiar en este teléfono».",
  title_push_denied: "Las notificaciones están desactivadas",
  push_denied: "Permita las notificaciones de esta página en los ajustes de su navegador e inténtelo "
    + "de nuevo.",
  title_remove_phone: "¿Quitar este teléfono?",
  remove_phone: "Dejará de pertenecer a su cuenta. Para volver necesitará su palma, y empezará "
    + "como teléfono nuevo. Las llaves de acceso que ningún otro de sus teléfonos creó o usó y su "
    + "código de recuperación dejan de valer: obtenga uno nuevo en «Ajustes».",
  remove_end_sign_ins: "Cerrar también la sesión en las aplicaciones en las que entró este "
    + "teléfono.",
  title_phone_refused: "El teléfono se quitó",
  phone_refused: "Ya no pertenece a su cuenta, y sus sesiones han terminado. Si no era suyo, "
    + "alguien tiene su palma o una imagen de ella.",
  title_phone_gone: "Esta solicitud ha terminado",
  title_phone_not_trusted: "Este teléfono aún no es de confianza",
  phone_not_trusted: "Use para esto un teléfono de confianza, o confíe primero en este.",
  title_phone_owns_later: "Este teléfono aún no puede hacer esto",
  phone_owns_later: "Es de confianza por haber esperado. Durante siete días, use para esto un "
    + "teléfono de confianza anterior, o confirme este con una llave de acceso o su código de "
    + "recuperación.",
  trust_phone: "Un teléfono de confianza puede mostrar sus aplicaciones y cambiar su cuenta. Para "
    + "empezar, muestre una palma que ya haya registrado.",
  title_trust_ways: "Este teléfono es nuevo",
  trust_ways: "Su palma fue reconocida. Elija cómo puede su cuenta confiar en este teléfono.",
  no_trust_way: "Su cuenta no puede confiar ahora en este teléfono de ningún modo. Pregunte al "
    + "operador de este servicio.",
  title_trust_asked: "Apruébelo en su otro teléfono",
  trust_asked: "Abra esta página en un teléfono de confianza. Allí, apruebe la solicitud con este "
    + "número:",
  trust_asked_wait: "Vuelva aquí después del {when} y muestre de nuevo su palma. Hasta entonces, "
    + "sus teléfonos de confianza muestran esta solicitud y pueden rechazarla.",
  request_refused: "Otro teléfono ha rechazado este.",
  passkey_failed: "Se canceló, o aquí no hay una llave de acceso para su cuenta. Elija de nuevo.",
  title_phone_trusted: "El teléfono es de confianza",
  phone_trusted: "Ahora puede mostrar sus aplicaciones y cambiar su cuenta.",
  title_recover: "Escriba su código de recuperación",
  recover_wrong: "Este código no es correcto. Revíselo e inténtelo de nuevo.",
  title_screen_lock: "¿Usar también el bloqueo de pantalla de su teléfono?",
  screen_lock: "Huella, rostro o PIN: lo que desbloquee este teléfono. Si este navegador pierde "
    + "sus datos, el bloqueo de pantalla vuelve a vincular este teléfono a usted, y no tiene que "
    + "registrar sus palmas de nuevo.",
  screen_lock_when: "Lo pedimos de vez en cuando al iniciar sesión, y antes de desconectar o "
    + "borrar algo. Se queda en este teléfono: nosotros nunca lo vemos.",
  title_screen_lock_ready: "Ahora, el bloqueo de pantalla",
  screen_lock_ready: "Se reconoció su palma. Pulse el botón y su teléfono pedirá su bloqueo de "
    + "pantalla.",
  screen_lock_name: "Inicio de sesión con la palma",
  title_screen_lock_failed: "El bloqueo de pantalla no funcionó",
  screen_lock_failed: "Se canceló o tardó demasiado. También puede seguir sin él.",
  title_confirm_screen_lock: "Confirme con su bloqueo de pantalla",
  confirm_screen_lock: "Esto confirma que usted aún tiene este teléfono.",
  title_lost_screen_lock: "Si su bloqueo de pantalla ya no funciona",
  lost_screen_lock: "Este navegador puede borrar su clave y empezar de nuevo. En el próximo inicio "
    + "de sesión, su palma volverá a vincular este teléfono a usted, como teléfono nuevo.",
  title_stop_screen_lock: "¿Dejar de usar el bloqueo de pantalla?",
  stop_screen_lock: "Su palma seguirá funcionando. Pero si este navegador pierde sus datos, solo "
    + "su palma podrá volver a vincular este teléfono a usted.",
  title_screen_lock_stopped: "El bloqueo de pantalla ya no se usa",
  screen_lock_stopped: "También puede borrar la llave de acceso en los ajustes de este teléfono.",

  delete_me: "Los datos que describen sus palmas se borran de inmediato y para siempre.",
  delete_me_apps: "Ninguna aplicación le reconocerá, y perderá el acceso a lo que tiene en ellas.",
  delete_me_palm: "Para confirmar que es usted, muestre la palma una vez más.",
  delete_me_later: "Si algún día quizá no pueda mostrar la palma, obtenga ahora un código de "
    + "borrado.",
  title_deletion_code: "Su código de borrado",
  deletion_code: "Anótelo y guárdelo en lugar seguro: se muestra una sola vez. Quien lo tenga "
    + "puede pedir al operador que borre su cuenta. Los códigos anteriores ya no valen.",
  title_deleted: "Cuenta borrada",
  deleted: "Ya no guardamos nada sobre sus palmas, y este teléfono ha borrado su clave.",
  title_own_palm_mismatch: "Esta palma no está vinculada a este teléfono",
  own_palm_mismatch: "Solo puede hacerlo la persona que configuró este teléfono. Pruebe con más "
    + "luz o la otra mano.",

  title_end_go: "Hecho",
  end_go: "Ha iniciado sesión.",
  title_end_declined: "Rechazado",
  end_declined: "No se compartió nada.",
  title_end_reported: "Denunciado",
  end_reported: "El inicio de sesión se detuvo y ya no es válido.",
  title_end_expired: "Se acabó el tiempo",
  title_end_locked: "No reconocida",
  end_locked: "Demasiados intentos. No se compartió nada. Puede empezar de nuevo enseguida.",
  title_end_code_locked: "Código incorrecto",
  end_code_locked: "Se escribió un código incorrecto demasiadas veces. No se compartió nada.",
  title_end_cancelled: "Cancelado en el ordenador",
  title_end_superseded: "Se inició una sesión más reciente",
  end_superseded: "Este ha terminado. No se compartió nada.",
  title_end_ticket_stale: "Este código QR ha caducado",
  end_ticket_stale: "Cambia cada pocos segundos. Escanee el que está ahora en la pantalla.",
  title_end_login_gone: "Este inicio de sesión ya no está disponible",
  end_login_gone: "Ha terminado, o el enlace no es válido.",
  title_end_already_claimed: "Otro teléfono ya está respondiendo",
  end_already_claimed: "Solo un teléfono puede responder a un inicio de sesión. Si el otro no es "
    + "suyo, cancele en el ordenador.",
  title_end_too_many_attempts: "Demasiados intentos",
  end_too_many_attempts: "Inténtelo de nuevo después del {when}.",
  title_end_device_unbound: "Este teléfono no está configurado",
  end_device_unbound: "Registre primero su palma en este teléfono y luego escanee el código otra "
    + "vez.",
  title_end_phone_not_trusted: "Esta aplicación exige un teléfono de confianza",
  end_phone_not_trusted: "No se compartió nada. Inicie sesión con un teléfono de confianza, o "
    + "confíe primero en este.",
  title_end_palm_disputed: "Esta palma se está comprobando",
  end_palm_disputed: "Dos personas dicen que es suya. Hasta que se aclare, use su otra palma o un "
    + "teléfono de confianza.",
  title_end_trouble: "Algo ha fallado",
  end_trouble: "Hubo un problema por nuestra parte.",
  back_to_computer: "Vuelva a su ordenador.",
  start_again: "Para iniciar sesión, empiece de nuevo en el ordenador.",

  action_continue: "Continuar",
  action_first_time: "Es mi primera vez: registrar mi palma",
  action_approve: "Iniciar sesión",
  action_decline: "Rechazar",
  action_report: "No fui yo",
  action_cancel: "Cancelar",
  action_try_again: "Intentar de nuevo",
  action_start_camera: "Encender la cámara",
  action_no_wait: "Continuar sin esperar",
  action_switch_camera: "Cambiar de cámara",
  action_torch: "Luz",
  action_speak: "Leer en voz alta",
  action_agree: "Aceptar y continuar",
  action_refuse: "No, gracias",
  action_skip_hand: "Omitir esta mano",
  action_show_palm: "Mostrar mi palma e iniciar sesión",
  action_other_palm: "Registrar mi otra palma",
  action_set_up: "Registrar mis palmas",
  action_back_here: "Volver al inicio de sesión",
  action_home: "Volver al inicio",
  action_my_apps: "Mis aplicaciones",
  action_my_phones: "Mis teléfonos",
  action_trust_phone: "Confiar en este teléfono",
  action_use_passkey: "Usar su llave de acceso",
  action_ask_phone: "Aprobar en su otro teléfono",
  action_approve_phone: "Aprobar",
  action_refuse_phone: "Rechazar",
  action_refuse_all: "Rechazar todos",
  action_remove_phone: "Quitar",
  action_recover: "Escribir su código de recuperación",
  action_wait: "Esperar unos días",
  action_other_way: "Elegir otra forma",
  action_recovery_code: "Obtener un nuevo código de recuperación",
  action_show_code: "Mostrar mi código de recuperación",
  action_push: "Notificaciones",
  action_push_on: "Activar",
  action_push_off: "Desactivar",
  action_copy: "Copiar",
  copied: "Copiado",
  action_withdraw: "Desconectar",
  action_use_screen_lock: "Usar el bloqueo de pantalla",
  action_go_without: "Continuar sin él",
  action_screen_lock: "Usar también mi bloqueo de pantalla",
  action_stop_screen_lock: "Dejar de usar mi bloqueo de pantalla",
  action_lost_screen_lock: "Ya no funciona",
  action_begin_again: "Empezar de nuevo",
  action_delete_me: "Borrar mi cuenta",
  action_deletion_code: "Obtener un código de borrado",
  action_delete_after_palm: "Mostrar mi palma y borrar",
};

/** What a phone is called where the page is open on something else. */
export const device = [["teléfono", "dispositivo"]];
