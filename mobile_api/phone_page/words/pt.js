/** The page's words in Portuguese. */

export default {
  offline: "Sem ligação. Nada se perde: continua por si.",

  title_opening: "Um momento",
  title_preparing: "A preparar",
  title_sending: "A verificar a sua palma",
  title_finishing: "A guardar as suas palmas",

  title_home: "Entrar com a palma da mão",
  home_text: "Para entrar em algum lado, leia o código QR desse ecrã com a câmara deste telemóvel.",
  home_set_up: "Também pode registar as suas palmas agora.",
  home_broken: "A ligação não está completa. Leia de novo o código QR no computador.",

  title_who_asks: "Alguém quer entrar. É você?",
  fact_from: "Pedido de",
  fact_network: "Rede",
  fact_since: "Pedido",
  network_same: "a mesma deste telemóvel",
  network_different: "diferente da deste telemóvel",
  login_gets: "A aplicação ficará a conhecer um pseudónimo seu que nenhuma outra aplicação "
    + "conhece. Mais nada.",
  login_warning: "Alguém lhe enviou esta ligação ou o seu código QR? Então recuse: ninguém precisa "
    + "nunca que entre por ele.",

  mode_preparing: "A descobrir o que este telemóvel consegue fazer…",
  mode_template: "A sua imagem fica neste telemóvel. Ele calcula números que descrevem as linhas "
    + "da sua palma, e só esses números são enviados.",
  mode_picture_asked: "A imagem da sua palma será enviada: este serviço pede imagens. É esquecida "
    + "assim que foi examinada.",
  mode_picture_refused: "Desta vez, a imagem da sua palma será enviada: os números por si só "
    + "não bastaram para saber que este telemóvel é seu. É esquecida assim que foi examinada.",
  mode_picture_stranger: "Desta vez, a imagem da sua palma será enviada, porque ainda não se "
    + "sabe que este telemóvel é seu. É esquecida assim que foi examinada.",
  mode_picture_slow: "A imagem da sua palma será enviada, porque este telemóvel é demasiado lento "
    + "para calcular os números. É esquecida assim que foi examinada.",
  mode_picture_missing: "A imagem da sua palma será enviada, porque este navegador não consegue "
    + "calcular os números. É esquecida assim que foi examinada.",

  title_ready: "Antes de ligar a câmara",
  camera_why: "O seu navegador talvez pergunte se a câmara pode ser usada. Só está ligada enquanto "
    + "mostra a palma.",

  title_capture: "Mostre a palma da mão",
  title_capture_right: "Mostre a palma direita",
  title_capture_left: "Mostre a palma esquerda",
  say_show_palm: "Mostre a palma aberta",
  say_other_side: "São as costas. Vire a mão",
  say_other_hand: "Use a outra mão",
  say_closer: "Aproxime-se",
  say_further: "Afaste-se",
  say_to_middle: "Ponha a mão no meio",
  say_fingers_apart: "Abra a mão, dedos afastados",
  say_more_light: "Muito escuro. Mais luz",
  say_less_glare: "Muito claro. Menos luz",
  say_hold_still: "Não se mexa",
  say_good: "Bom. Fique assim",
  say_burst: "Chega assim. A escolher a imagem mais nítida",

  title_camera_denied: "A câmara não pode ser usada",
  camera_denied: "Permita a câmara para esta página nas definições do navegador (muitas vezes "
    + "atrás do símbolo junto ao endereço) e tente de novo.",
  title_camera_missing: "Não foi encontrada nenhuma câmara",
  camera_missing: "Este dispositivo não tem uma câmara que o navegador possa usar. Leia o código "
    + "QR com um telemóvel, ou ligue uma câmara e tente de novo.",
  title_camera_busy: "A câmara está ocupada",
  camera_busy: "Outra aplicação ou página está a usar a câmara. Feche-a e tente de novo.",
  title_camera_unsupported: "Este navegador não dá acesso à câmara",
  camera_unsupported: "Abra esta página no navegador habitual do seu telemóvel. Os navegadores "
    + "dentro de outras aplicações muitas vezes não têm câmara.",

  title_retry: "A sua palma não foi reconhecida",
  retry: "Tentativas restantes: {left}.",
  retry_help: "Mais luz, a palma limpa, os dedos afastados ou a outra mão ajudam muitas vezes. Se "
    + "a sua palma nunca foi registada, registe-a primeiro.",

  title_approve: "Entrar?",
  approve_question: "A sua palma foi reconhecida. Ainda nada foi partilhado.",

  title_code: "Escreva isto no seu computador",
  code_help: "A entrada fica concluída quando escrever lá estes quatro algarismos.",
  code_warning: "Nunca os diga a ninguém. Ninguém que lhe telefone ou escreva precisa deles.",

  title_consent: "Antes de registar a sua palma",
  consent_version: "Versão {version}",
  consent_language: "Este texto só existe em inglês.",
  consent_agree: "Li isto e aceito que a minha palma seja usada assim.",
  consent_missing: "Marque a caixa se concorda. Caso contrário, nada é registado.",
  title_palm_right: "Primeiro a palma direita",
  palm_right_help: "Mantenha-a aberta diante da câmara, dedos afastados. Não há botão: a câmara "
    + "fica com o que serve.",
  title_palm_left: "Agora a palma esquerda",
  palm_left_help: "O mesmo com a outra mão.",
  title_enrolled: "A sua palma está registada",
  enrolled: "A partir de agora, entra mostrando-a.",
  title_enrolment_samples_disagree: "As imagens não condizem",
  enrolment_samples_disagree: "As mãos foram trocadas, ou uma imagem era má. Tente de novo.",
  title_enrolment_too_few_samples: "Poucas imagens",
  enrolment_too_few_samples: "É precisa pelo menos uma palma. Tente de novo.",
  title_enrolment_enrolment_gone: "Demorou demasiado",
  enrolment_enrolment_gone: "Nada foi guardado. Comece de novo.",
  title_enrolment_consent_changed: "O texto mudou",
  enrolment_consent_changed: "Leia o novo, por favor.",
  title_enrolment_already_enrolled: "Esta palma já está registada",
  enrolment_already_enrolled: "Entre mostrando-a: este telemóvel volta então a ser seu.",
  title_enrolment_palm_mismatch: "Este telemóvel pertence a outra palma",
  enrolment_palm_mismatch: "A palma registada com este telemóvel também tem de ser mostrada.",

  title_my_apps: "As minhas aplicações",
  my_apps: "Estas conhecem-no, cada uma por um pseudónimo próprio.",
  my_apps_none: "Nenhuma aplicação o conhece.",
  my_apps_since: "Desde {date}",
  title_withdraw: "Retirar-se?",
  withdraw: "A sua sessão lá é terminada, e a aplicação deixa de o conhecer. Se lá entrar de novo, "
    + "será alguém novo para ela.",
  withdrawn: "Retirado.",
  title_screen_lock: "Usar também o bloqueio de ecrã do telemóvel?",
  screen_lock: "Impressão digital, rosto ou PIN: o que desbloqueia este telemóvel. Se um dia este "
    + "navegador o esquecer, o bloqueio de ecrã traz-lhe o acesso de volta, e nada tem de ser "
    + "registado de novo.",
  screen_lock_when: "É pedido de vez em quando ao entrar, e antes de algo ser retirado ou apagado. "
    + "Fica neste telemóvel: nunca o ficamos a conhecer.",
  title_screen_lock_ready: "Agora o bloqueio de ecrã",
  screen_lock_ready: "A sua palma foi reconhecida. Prima o botão, e o telemóvel pede o bloqueio de "
    + "ecrã.",
  screen_lock_name: "Entrar com a palma",
  title_screen_lock_added: "O bloqueio de ecrã está a ser usado",
  screen_lock_added: "Traz-lhe o acesso de volta se este navegador o esquecer.",
  title_screen_lock_failed: "O bloqueio de ecrã não resultou",
  screen_lock_failed: "Foi cancelado, ou demorou demasiado. Tudo funciona também sem ele.",
  come_back_failed: "Foi cancelado, ou este telemóvel não guarda nada para este serviço. A sua "
    + "palma também lhe traz o acesso de volta.",
  title_came_back: "Este telemóvel volta a conhecê-lo",
  came_back: "Nada tem de ser registado de novo.",
  title_confirm_screen_lock: "Confirme com o bloqueio de ecrã",
  confirm_screen_lock: "Mostra que este telemóvel continua nas suas mãos.",
  title_lost_screen_lock: "Se o bloqueio de ecrã já não funcionar",
  lost_screen_lock: "Este navegador pode esquecer a sua chave e começar de novo. A sua palma "
    + "traz-lhe então o acesso de volta da próxima vez que entrar.",
  title_stop_screen_lock: "Deixar de usar o bloqueio de ecrã?",
  stop_screen_lock: "A sua palma continua a funcionar. Se este navegador o esquecer, só a palma "
    + "lhe traz então o acesso de volta.",
  title_screen_lock_stopped: "O bloqueio de ecrã já não é usado",
  screen_lock_stopped: "Também pode apagar a chave de acesso nas definições deste telemóvel.",

  title_delete_me: "Apagar-me",
  delete_me: "O que descreve as suas palmas é apagado, já e para sempre.",
  delete_me_apps: "Nenhuma aplicação o conhecerá mais. Não poderia voltar ao que tem nelas.",
  delete_me_palm: "Para ter a certeza de que é você, mostre a palma mais uma vez.",
  delete_me_later: "Se um dia já não puder mostrar a palma, serve um código de eliminação.",
  title_deletion_code: "O seu código de eliminação",
  deletion_code: "Anote-o e guarde-o em lugar seguro: só é mostrado uma vez. Quem o tiver pode "
    + "mandar o operador apagar a sua conta. Um código anterior já não vale.",
  title_deleted: "Apagado",
  deleted: "Já nada é guardado sobre as suas palmas, e este telemóvel esqueceu a sua chave.",
  title_own_palm_mismatch: "Não é a palma deste telemóvel",
  own_palm_mismatch: "Só a pessoa que configurou este telemóvel pode fazer isto. Mais luz ou a "
    + "outra mão podem ajudar.",

  title_end_go: "Pronto",
  end_go: "Entrou.",
  title_end_declined: "Recusado",
  end_declined: "Nada foi partilhado.",
  title_end_reported: "Denunciado",
  end_reported: "A entrada foi parada, e nada dela é válido.",
  title_end_expired: "O tempo acabou",
  end_expired: "Nada foi partilhado.",
  title_end_locked: "Não reconhecida",
  end_locked: "Foram vezes a mais. Nada foi partilhado.",
  title_end_code_locked: "Código errado",
  end_code_locked: "Um código errado foi escrito demasiadas vezes. Nada foi partilhado.",
  title_end_cancelled: "Cancelado no computador",
  end_cancelled: "Nada foi partilhado.",
  title_end_superseded: "Foi começada uma entrada mais recente",
  end_superseded: "Esta terminou. Nada foi partilhado.",
  title_end_ticket_stale: "O código QR é antigo",
  end_ticket_stale: "Muda de poucos em poucos segundos. Leia o que está agora no ecrã.",
  title_end_login_gone: "Esta entrada terminou",
  end_login_gone: "Ou a ligação não é nossa. Nada foi partilhado.",
  title_end_already_claimed: "Outro telemóvel foi o primeiro",
  end_already_claimed: "Um só telemóvel responde a uma entrada. Se o outro não é seu, cancele no "
    + "computador.",
  title_end_too_many_attempts: "Demasiadas tentativas",
  end_too_many_attempts: "Espere um pouco antes de tentar de novo.",
  title_end_device_unbound: "Este telemóvel não está configurado",
  end_device_unbound: "Registe primeiro a sua palma neste telemóvel e depois leia o código de novo.",
  title_end_trouble: "Não resultou",
  end_trouble: "Algo falhou do nosso lado. Nada foi partilhado.",
  back_to_computer: "Volte ao seu computador.",
  start_again: "Para entrar, comece de novo no computador.",

  action_continue: "Continuar",
  action_first_time: "É a minha primeira vez: registar a palma",
  action_approve: "Entrar",
  action_decline: "Recusar",
  action_report: "Não fui eu",
  action_cancel: "Cancelar",
  action_try_again: "Tentar de novo",
  action_start_camera: "Ligar a câmara",
  action_switch_camera: "Outra câmara",
  action_torch: "Luz",
  action_speak: "Ler em voz alta",
  action_agree: "Aceitar e seguir",
  action_refuse: "Não, obrigado",
  action_skip_hand: "Sem esta mão",
  action_set_up: "Registar as minhas palmas",
  action_back_here: "Voltar à entrada",
  action_reload: "Tentar de novo",
  action_home: "Ao início",
  action_my_apps: "As minhas aplicações",
  action_withdraw: "Retirar-me",
  action_come_back: "Já cá estive: bloqueio de ecrã",
  action_use_screen_lock: "Usar o bloqueio de ecrã",
  action_go_without: "Continuar sem ele",
  action_screen_lock: "Usar também o bloqueio de ecrã",
  action_stop_screen_lock: "Deixar de usar o bloqueio de ecrã",
  action_lost_screen_lock: "Já não funciona",
  action_begin_anew: "Começar de novo",
  action_delete_me: "Apagar-me",
  action_deletion_code: "Um código para mais tarde",
  action_delete_after_palm: "Mostrar a palma e apagar",
};
