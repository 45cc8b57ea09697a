/** The page's words in Spanish. */

export default {
  offline: "Sin conexión. No se pierde nada: continuará por sí solo.",

  title_opening: "Un momento",
  title_preparing: "Preparando",
  title_sending: "Comprobando su palma",
  title_finishing: "Guardando sus palmas",

  title_home: "Iniciar sesión con la palma",
  home_text: "Para iniciar sesión en algún sitio, escanee el código QR de esa pantalla con la "
    + "cámara de este teléfono.",
  home_set_up: "También puede registrar sus palmas ahora.",
  home_broken: "El enlace no está completo. Escanee de nuevo el código QR del ordenador.",

  title_who_asks: "Alguien quiere iniciar sesión. ¿Es usted?",
  fact_from: "Pedido desde",
  fact_network: "Red",
  fact_since: "Pedido",
  network_same: "la misma que la de este teléfono",
  network_different: "otra que la de este teléfono",
  login_gets: "La aplicación conocerá un seudónimo suyo que ninguna otra aplicación conoce. Nada "
    + "más.",
  login_warning: "¿Alguien le envió este enlace o su código QR? Entonces rechace: nadie necesita "
    + "nunca que usted inicie sesión en su lugar.",

  mode_preparing: "Averiguando lo que este teléfono puede hacer…",
  mode_template: "Su imagen se queda en este teléfono. El teléfono calcula números que describen "
    + "las líneas de su palma, y solo se envían esos números.",
  mode_picture_asked: "Se enviará la imagen de su palma: este servicio pide imágenes. Se olvida en "
    + "cuanto se ha examinado.",
  mode_picture_refused: "Esta vez se enviará la imagen de su palma: los números solos no "
    + "bastaron para saber que este teléfono es suyo. Se olvida en cuanto se ha examinado.",
  mode_picture_stranger: "Esta vez se enviará la imagen de su palma, porque aún no se sabe que "
    + "este teléfono es suyo. Se olvida en cuanto se ha examinado.",
  mode_picture_slow: "Se enviará la imagen de su palma, porque este teléfono es demasiado lento "
    + "para calcular los números. Se olvida en cuanto se ha examinado.",
  mode_picture_missing: "Se enviará la imagen de su palma, porque este navegador no puede calcular "
    + "los números. Se olvida en cuanto se ha examinado.",

  title_ready: "Antes de encender la cámara",
  camera_why: "Su navegador quizá pregunte si se puede usar la cámara. Solo está encendida "
    + "mientras muestra la palma.",

  title_capture: "Muestre su palma",
  title_capture_right: "Muestre su palma derecha",
  title_capture_left: "Muestre su palma izquierda",
  say_show_palm: "Muestre la palma abierta",
  say_other_side: "Es el dorso. Gire la mano",
  say_other_hand: "Use la otra mano",
  say_closer: "Acérquese",
  say_further: "Aléjese",
  say_to_middle: "Lleve la mano al centro",
  say_fingers_apart: "Abra la mano, dedos separados",
  say_more_light: "Muy oscuro. Más luz",
  say_less_glare: "Demasiado brillo. Menos luz",
  say_hold_still: "No se mueva",
  say_good: "Bien. Siga así",
  say_burst: "Es suficiente. Eligiendo la imagen más nítida",

  title_camera_denied: "No se puede usar la cámara",
  camera_denied: "Permita la cámara para esta página en los ajustes de su navegador (a menudo tras "
    + "el símbolo junto a la dirección) e inténtelo de nuevo.",
  title_camera_missing: "No se encontró ninguna cámara",
  camera_missing: "Este dispositivo no tiene una cámara que el navegador pueda usar. Escanee el "
    + "código QR con un teléfono, o conecte una cámara e inténtelo de nuevo.",
  title_camera_busy: "La cámara está ocupada",
  camera_busy: "Otra aplicación o página está usando la cámara. Ciérrela e inténtelo de nuevo.",
  title_camera_unsupported: "Este navegador no ofrece cámara",
  camera_unsupported: "Abra esta página en el navegador habitual de su teléfono. Los navegadores "
    + "dentro de otras aplicaciones a menudo no tienen cámara.",

  title_retry: "No se reconoció su palma",
  retry: "Intentos restantes: {left}.",
  retry_help: "Más luz, la palma limpia, los dedos separados o la otra mano suelen ayudar. Si su "
    + "palma nunca se registró, regístrela primero.",

  title_approve: "¿Iniciar sesión?",
  approve_question: "Se reconoció su palma. Aún no se ha compartido nada.",

  title_code: "Escriba esto en su ordenador",
  code_help: "El inicio de sesión termina cuando escriba allí estas cuatro cifras.",
  code_warning: "No se las diga nunca a nadie. Nadie que le llame o le escriba las necesita.",

  title_consent: "Antes de registrar su palma",
  consent_version: "Versión {version}",
  consent_language: "Este texto solo existe en inglés.",
  consent_agree: "He leído esto y acepto que mi palma se use así.",
  consent_missing: "Marque la casilla si está de acuerdo. Si no, no se registra nada.",
  title_palm_right: "Primero la palma derecha",
  palm_right_help: "Manténgala abierta ante la cámara, con los dedos separados. No hay botón: la "
    + "cámara toma lo que sirve.",
  title_palm_left: "Ahora la palma izquierda",
  palm_left_help: "Lo mismo con la otra mano.",
  title_enrolled: "Su palma está registrada",
  enrolled: "A partir de ahora inicia sesión mostrándola.",
  title_enrolment_samples_disagree: "Las imágenes no concuerdan",
  enrolment_samples_disagree: "Se confundieron las manos, o una imagen era mala. Inténtelo de "
    + "nuevo.",
  title_enrolment_too_few_samples: "Muy pocas imágenes",
  enrolment_too_few_samples: "Hace falta al menos una palma. Inténtelo de nuevo.",
  title_enrolment_enrolment_gone: "Ha tardado demasiado",
  enrolment_enrolment_gone: "No se guardó nada. Empiece de nuevo.",
  title_enrolment_consent_changed: "El texto ha cambiado",
  enrolment_consent_changed: "Lea el nuevo, por favor.",
  title_enrolment_already_enrolled: "Esta palma ya está registrada",
  enrolment_already_enrolled: "Inicie sesión mostrándola: este teléfono vuelve entonces a ser suyo.",
  title_enrolment_palm_mismatch: "Este teléfono pertenece a otra palma",
  enrolment_palm_mismatch: "También hay que mostrar la palma que se registró con este teléfono.",

  title_my_apps: "Mis aplicaciones",
  my_apps: "Estas le conocen, cada una por un seudónimo propio.",
  my_apps_none: "Ninguna aplicación le conoce.",
  my_apps_since: "Desde el {date}",
  title_withdraw: "¿Retirarse?",
  withdraw: "Se cierra su sesión allí, y la aplicación ya no le conoce. Si vuelve a iniciar "
    + "sesión, será alguien nuevo para ella.",
  withdrawn: "Retirado.",
  title_screen_lock: "¿Usar también el bloqueo de pantalla de su teléfono?",
  screen_lock: "Huella, rostro o PIN: lo que desbloquee este teléfono. Si un día este navegador le "
    + "olvida, el bloqueo de pantalla le devuelve su acceso y no hay que registrar nada de nuevo.",
  screen_lock_when: "Se pide de vez en cuando al iniciar sesión, y antes de retirar o borrar algo. "
    + "Se queda en este teléfono: nosotros nunca lo conocemos.",
  title_screen_lock_ready: "Ahora, el bloqueo de pantalla",
  screen_lock_ready: "Se reconoció su palma. Pulse el botón y su teléfono pedirá su bloqueo de "
    + "pantalla.",
  screen_lock_name: "Inicio de sesión con la palma",
  title_screen_lock_added: "Su bloqueo de pantalla está en uso",
  screen_lock_added: "Le devuelve su acceso si este navegador le olvida.",
  title_screen_lock_failed: "El bloqueo de pantalla no funcionó",
  screen_lock_failed: "Se canceló o tardó demasiado. Todo funciona también sin él.",
  come_back_failed: "Se canceló, o este teléfono no guarda nada para este servicio. Su palma "
    + "también le devuelve su acceso.",
  title_came_back: "Este teléfono vuelve a conocerle",
  came_back: "No hay que registrar nada de nuevo.",
  title_confirm_screen_lock: "Confirme con su bloqueo de pantalla",
  confirm_screen_lock: "Demuestra que este teléfono sigue en sus manos.",
  title_lost_screen_lock: "Si el bloqueo de pantalla ya no funciona",
  lost_screen_lock: "Este navegador puede olvidar su clave y empezar de nuevo. Su palma le "
    + "devuelve entonces su acceso en el próximo inicio de sesión.",
  title_stop_screen_lock: "¿Dejar de usar el bloqueo de pantalla?",
  stop_screen_lock: "Su palma sigue funcionando. Si este navegador le olvida, entonces solo su "
    + "palma le devuelve su acceso.",
  title_screen_lock_stopped: "El bloqueo de pantalla ya no se usa",
  screen_lock_stopped: "También puede borrar la llave de acceso en los ajustes de este teléfono.",

  title_delete_me: "Borrarme",
  delete_me: "Lo que describe sus palmas se borra, enseguida y para siempre.",
  delete_me_apps: "Ninguna aplicación le conocerá ya. No podría volver a lo que tiene en ellas.",
  delete_me_palm: "Para asegurar que es usted, muestre la palma una vez más.",
  delete_me_later: "Si algún día ya no puede mostrar la palma, sirve un código de borrado.",
  title_deletion_code: "Su código de borrado",
  deletion_code: "Anótelo y guárdelo en lugar seguro: se muestra una sola vez. Quien lo tenga "
    + "puede hacer que el operador borre su cuenta. Un código anterior ya no vale.",
  title_deleted: "Borrado",
  deleted: "Ya no se guarda nada de sus palmas, y este teléfono ha olvidado su clave.",
  title_own_palm_mismatch: "No es la palma de este teléfono",
  own_palm_mismatch: "Solo puede hacerlo la persona que configuró este teléfono. Más luz o la otra "
    + "mano pueden ayudar.",

  title_end_go: "Hecho",
  end_go: "Ha iniciado sesión.",
  title_end_declined: "Rechazado",
  end_declined: "No se compartió nada.",
  title_end_reported: "Denunciado",
  end_reported: "El inicio de sesión se detuvo, y nada de él sigue siendo válido.",
  title_end_expired: "Se acabó el tiempo",
  end_expired: "No se compartió nada.",
  title_end_locked: "No reconocida",
  end_locked: "Fueron demasiadas veces. No se compartió nada.",
  title_end_code_locked: "Código incorrecto",
  end_code_locked: "Se escribió un código incorrecto demasiadas veces. No se compartió nada.",
  title_end_cancelled: "Cancelado en el ordenador",
  end_cancelled: "No se compartió nada.",
  title_end_superseded: "Se empezó un inicio de sesión más nuevo",
  end_superseded: "Este ha terminado. No se compartió nada.",
  title_end_ticket_stale: "El código QR es antiguo",
  end_ticket_stale: "Cambia cada pocos segundos. Escanee el que está ahora en la pantalla.",
  title_end_login_gone: "Este inicio de sesión ha terminado",
  end_login_gone: "O el enlace no es nuestro. No se compartió nada.",
  title_end_already_claimed: "Otro teléfono fue el primero",
  end_already_claimed: "Un solo teléfono responde a un inicio de sesión. Si el otro no es suyo, "
    + "cancele en el ordenador.",
  title_end_too_many_attempts: "Demasiados intentos",
  end_too_many_attempts: "Espere un rato antes de volver a intentarlo.",
  title_end_device_unbound: "Este teléfono no está configurado",
  end_device_unbound: "Registre primero su palma en este teléfono y luego escanee el código otra "
    + "vez.",
  title_end_trouble: "No ha funcionado",
  end_trouble: "Algo falló por nuestra parte. No se compartió nada.",
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
  action_switch_camera: "Otra cámara",
  action_torch: "Luz",
  action_speak: "Leer en voz alta",
  action_agree: "Aceptar y seguir",
  action_refuse: "No, gracias",
  action_skip_hand: "Sin esta mano",
  action_set_up: "Registrar mis palmas",
  action_back_here: "Volver al inicio de sesión",
  action_reload: "Intentar de nuevo",
  action_home: "Al principio",
  action_my_apps: "Mis aplicaciones",
  action_withdraw: "Retirarme",
  action_come_back: "Ya estuve aquí: bloqueo de pantalla",
  action_use_screen_lock: "Usar el bloqueo de pantalla",
  action_go_without: "Seguir sin él",
  action_screen_lock: "Usar también mi bloqueo de pantalla",
  action_stop_screen_lock: "Dejar de usar mi bloqueo de pantalla",
  action_lost_screen_lock: "Ya no funciona",
  action_begin_anew: "Empezar de nuevo",
  action_delete_me: "Borrarme",
  action_deletion_code: "Un código para más tarde",
  action_delete_after_palm: "Mostrar mi palma y borrar",
};
