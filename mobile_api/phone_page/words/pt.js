/** The page's words in Portuguese. */

export default {
  offline: "Sem ligação à Internet. Nada se perde: a página continua por si.",
  title_too_old: "Este navegador é demasiado antigo",
  too_old: "Atualize-o ou abra a ligação noutro navegador. Os mais antigos que funcionam são o "
    + "Safari 16 (iOS 16), o Chrome 103 e o Firefox 100.",
  language: "Idioma",

  title_opening: "Um momento",
  title_sending: "A verificar a sua palma",
  title_finishing: "A guardar as suas palmas",

  title_home: "Entrar com a palma da mão",
  home_text: "Para entrar numa aplicação, comece nela: leia o código QR com o telemóvel ou prima "
    + "«Usar este dispositivo».",
  home_first: "É a primeira vez? Registe as suas palmas. Já o fez noutro telemóvel? «Confiar neste "
    + "telemóvel» junta este à sua conta.",
  home_broken: "O link está incompleto. Leia de novo o código QR no computador.",
  title_cleared: "A chave deste telemóvel desapareceu",
  cleared: "O seu navegador apagou a chave deste telemóvel, como o Safari faz após sete dias sem "
    + "visitas. A sua conta ainda existe: mostre a palma e use depois a sua chave de acesso ou o "
    + "seu código de recuperação.",
  home_new: "Este telemóvel é novo: a sua conta ainda não confia nele.",
  home_new_ready: "O tempo de espera terminou. Mostre a palma mais uma vez, e este telemóvel passa "
    + "a ser de confiança.",
  title_account: "A sua conta",
  account_palm: "A sua palma abre isto durante cinco minutos.",
  sign_ins_none: "Não há entradas recentes.",
  sign_ins_unknown: "Não reconhece alguma? Remova o telemóvel em «Os meus telemóveis».",
  sign_ins_more: "Mostrar tudo",
  title_settings: "Definições",
  setting_on: "Ligado",
  setting_off: "Desligado",
  setting_screen_lock: "Bloqueio de ecrã",
  title_request: "Um telemóvel novo pede a sua confiança",
  request_asked: "Pedido {when}",
  request_due: "Se não fizer nada, pode passar a ser de confiança depois de {when}.",
  request_warning: "Aprove só se for seu, o tiver consigo e mostrar o número {number}. Se não, "
    + "recuse: alguém pode ter uma imagem da sua palma.",
  request_notification: "Aprove só se for seu e o tiver consigo. Se não, recuse: "
    + "alguém pode ter uma imagem da sua palma.",
  requests_more: "Mais telemóveis que pedem: {count}. Tantos ao mesmo tempo dificilmente são seus.",
  notice_new_phone: "{date}: a sua palma foi mostrada a um telemóvel novo. Se não foi você, "
    + "remova-o em «Os meus telemóveis».",
  notice_palm_disputed: "{date}: alguém tentou registar uma das suas palmas noutro telemóvel. Se "
    + "não foi você, alguém pode ter uma imagem dela.",
  notice_palm_released: "{date}: o operador retirou uma palma desta conta, porque pertence a outra "
    + "pessoa.",
  notice_phone_trusted: "{date}: a sua conta confia agora em mais um telemóvel. Se não o conhece, "
    + "remova-o em «Os meus telemóveis».",
  notice_passkey_added: "{date}: outro telemóvel adicionou uma chave de acesso à sua conta. Se "
    + "não foi você, remova esse telemóvel em «Os meus telemóveis».",
  notice_code_taken: "{date}: outro telemóvel obteve um novo código de recuperação. Se não foi "
    + "você, remova esse telemóvel em «Os meus telemóveis».",

  title_station_code: "Tornar este navegador um posto",
  station_code: "Introduza o código que o operador lhe deu. Depois será possível entrar neste ecrã "
    + "apenas com a palma.",
  station_code_wrong: "Este código não está certo ou já foi usado. Peça um novo.",
  station_ready: "Pronto. Comece a entrar numa aplicação neste ecrã e mostre a palma aqui.",
  mode_picture_station: "Será enviada uma imagem da sua palma, apagada logo após a verificação. "
    + "Nada seu fica neste ecrã.",
  title_end_station_elsewhere: "Não neste posto",
  end_station_elsewhere: "A entrada não começou neste ecrã, ou o posto está no lugar errado. "
    + "Comece de novo na aplicação.",

  title_who_asks: "Está a entrar?",
  title_verify: "Confirme que continua a ser você",
  network_different: "De outra rede que não a deste telemóvel.",
  login_gets: "A aplicação recebe um identificador privado seu que nenhuma outra aplicação tem. Mais nada.",
  login_warning: "Alguém lhe enviou este link ou o seu código QR? Então recuse: ninguém precisa "
    + "nunca que entre em nome de outra pessoa.",
  login_unchecked: "Ninguém verificou este nome.",
  other_browser: "Registou-se noutro navegador deste telemóvel? Então comece de novo e abra lá a "
    + "ligação.",

  mode_loading: "A preparar: {done} de {all} MB",
  mode_template: "A sua imagem fica neste telemóvel. Ele calcula números que descrevem as linhas "
    + "da sua palma e envia só esses números.",
  mode_picture_asked: "Será enviada uma imagem da sua palma, porque este serviço pede imagens. É "
    + "apagada logo após a verificação.",
  mode_picture_refused: "Desta vez será enviada uma imagem da sua palma, porque os números por si "
    + "só não bastaram para confirmar que este telemóvel é seu. É apagada logo após a "
    + "verificação.",
  mode_picture_unbound: "Será enviada uma imagem da sua palma, porque este telemóvel "
    + "ainda não está associado a si. É apagada logo após a verificação.",
  mode_picture_untrusted: "Será enviada uma imagem da sua palma, porque este telemóvel "
    + "ainda não é de confiança. É apagada logo após a verificação.",
  mode_picture_unable: "Será enviada uma imagem da sua palma, porque este navegador não consegue "
    + "calcular os números agora. É apagada logo após a verificação.",

  title_ready: "Antes de ligar a câmara",
  camera_why: "O seu navegador pode pedir autorização para usar a câmara. Só está ligada enquanto "
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
  say_uncover: "Algo cobre a palma",
  say_hold_still: "Não se mexa",
  say_good: "Bom. Fique assim",
  say_burst: "Chega assim. A escolher a imagem mais nítida",
  say_move_hand: "Mova um pouco a mão",

  mode_picture_challenge: "Siga {steps} movimentos curtos: cada um é dito e mostrado. Algumas "
    + "imagens da sua mão em movimento serão enviadas, para verificar que é uma mão e não uma "
    + "imagem dela. São apagadas logo após a verificação.",
  challenge_count: "Movimento {step} de {steps}",
  say_move_left: "Um pouco para a esquerda",
  say_move_right: "Um pouco para a direita",
  say_move_up: "Um pouco para cima",
  say_move_down: "Um pouco para baixo",
  say_fold_thumb: "Dobre o polegar sobre a palma",
  say_spread_fingers: "Afaste os dedos",
  say_close_fingers: "Junte os dedos",
  say_loose_fist: "Feche a mão sem apertar",
  say_tilt_left: "Incline a mão para a esquerda",
  say_tilt_right: "Incline a mão para a direita",
  say_tilt_up: "Incline a mão para cima",
  say_tilt_down: "Incline a mão para baixo",
  action_motions: "Movimentos",
  title_motions: "Que movimentos são fáceis para si?",
  motions: "Desmarque cada movimento que lhe for difícil. Pelo menos dois ficam marcados: só esses "
    + "serão pedidos.",
  motions_code: "Código do operador. É preciso para deixar movimentos de fora, exceto ao iniciar "
    + "sessão num telefone em que a sua conta confia.",
  title_challenge_failed: "Ainda não resultou",
  challenge_code_needed: "Para deixar movimentos de fora é preciso um código do operador deste "
    + "serviço. Escreva-o em «Movimentos», ou não deixe nenhum de fora.",
  challenge_not_followed: "Não foi possível seguir os seus movimentos. Mantenha toda a mão na "
    + "imagem e mova-a quando for indicado.",
  challenge_too_late: "Demorou demasiado. Faça uma pausa: o tempo só começa quando mostrar a "
    + "palma.",
  challenge_cannot_tell: "As imagens não estavam suficientemente nítidas. Experimente uma luz "
    + "mais suave, sem candeeiro nem janela atrás da mão.",
  challenge_not_one_hand: "Mostre uma só mão, e sempre a mesma.",
  challenge_stopped: "Parou no movimento {step} de {steps}: «{motion}».",
  challenge_unseen: "Este telefone não viu o movimento {step} de {steps}: «{motion}».",

  title_camera_denied: "O acesso à câmara está bloqueado",
  camera_denied: "Permita a câmara para esta página atrás do ícone junto ao endereço; no iOS, "
    + "também nas Definições, sob o nome do navegador. Depois, tente de novo.",
  title_camera_missing: "Não foi encontrada nenhuma câmara",
  camera_missing: "Este dispositivo não tem uma câmara que o navegador possa usar. Ligue uma e "
    + "tente de novo, ou use um telemóvel.",
  title_camera_busy: "A câmara está a ser usada",
  camera_busy: "Outra aplicação ou página está a usar a câmara. Feche-a e tente de novo.",
  title_camera_stopped: "A câmara parou",
  camera_stopped: "Foi desligada. Prima «Tentar de novo».",
  title_camera_paused: "A câmara está à sua espera",
  camera_paused: "O seu telemóvel está a poupar energia e não inicia a imagem da câmara sozinho. "
    + "Prima o botão.",
  title_camera_unsupported: "Este navegador não consegue usar a câmara",
  camera_unsupported: "Abra esta página no navegador habitual do seu telemóvel. Os navegadores "
    + "dentro de outras aplicações muitas vezes não conseguem usar a câmara.",

  title_retry: "A sua palma não foi reconhecida",
  retry: "Tentativas restantes: {left}.",
  retry_help: "Experimente mais luz, a palma limpa, os dedos afastados ou a outra mão. Se ainda "
    + "não registou a sua palma, faça-o primeiro.",

  title_refused_picture: "Esta imagem não serve",
  refused_picture: "O serviço não conseguiu lê-la. Tente de novo.",
  refused_presentation_attack: "Mostre a sua própria mão, sem nada à frente.",
  refused_sample_cmyk: "Tem cores de impressão (CMYK). Experimente outro navegador ou outra "
    + "câmara.",
  title_refused_busy: "O serviço está ocupado",
  refused_busy: "Nada se perde. Tente de novo daqui a pouco.",

  approve_question: "A sua palma foi reconhecida. Ainda nada foi partilhado.",

  title_code: "Escreva isto no seu computador",
  code_help: "Escreva lá estes quatro algarismos para concluir a entrada.",
  code_warning: "Nunca partilhe este código. Ninguém que lhe telefone ou escreva precisa dele.",

  step: "Passo {step} de {steps}",
  title_consent: "Antes de registar a sua palma",
  consent_version: "Versão {version}",
  consent_agree: "Li isto e aceito este uso da minha palma.",
  consent_missing: "Marque a caixa se concorda. Caso contrário, nada é registado.",
  title_keeps_nothing: "Este navegador não guarda nada",
  keeps_nothing: "Talvez seja uma janela privada. Quando a fechar, este telemóvel deixa de ser de "
    + "confiança. É melhor abrir esta página no seu navegador habitual. Se continuar, guarde o "
    + "código de recuperação que recebe no fim: é a sua forma de voltar.",
  title_palm_right: "Primeiro a palma direita",
  palm_right_help: "Mantenha-a aberta diante da câmara, dedos afastados. Não há botão: a câmara "
    + "tira as imagens sozinha. Pede vistas diferentes, para o reconhecer depois com outra luz e "
    + "noutra posição.",
  title_palm_left: "Agora a palma esquerda",
  palm_left_help: "Faça o mesmo com a outra mão.",
  title_enrolled: "Está tudo pronto",
  enrolled: "A partir de agora, mostre uma palma para entrar.",
  title_losing: "Se perder este telemóvel",
  losing_phone: "Só a palma não abre a sua conta noutro telemóvel: é preciso também um código de "
    + "recuperação ou um telemóvel de confiança.",
  losing_wait: "Sem nenhum dos dois, terá de esperar {time}.",
  losing_account: "Sem nenhum dos dois, a sua conta perde-se.",
  losing_key: "Além disso, este navegador apaga a chave deste telemóvel se não abrir esta página durante "
    + "sete dias. É como perder o telemóvel.",
  losing_passkey: "O bloqueio de ecrã criou uma chave de acesso. Se for sincronizada com o seu "
    + "próximo telemóvel, lá bastam ela e a sua palma. Um código de recuperação serve sempre.",
  losing_code: "Obtenha um código de recuperação agora, ou mais tarde em «Definições».",
  title_enrolment_samples_disagree: "As imagens não coincidem",
  enrolment_samples_disagree: "As mãos foram trocadas, ou uma imagem era má. Tente de novo.",
  title_enrolment_too_few_samples: "Poucas imagens",
  enrolment_too_few_samples: "É precisa pelo menos uma palma. Tente de novo.",
  title_enrolment_enrolment_gone: "Demorou demasiado",
  enrolment_enrolment_gone: "Nada foi guardado. Comece de novo.",
  title_enrolment_consent_changed: "O texto mudou",
  enrolment_consent_changed: "Leia a nova versão, por favor.",
  title_enrolment_already_enrolled: "Esta palma já está registada",
  enrolment_already_enrolled: "Se foi você que a registou, mostre-a para entrar. Este telemóvel "
    + "volta então a ser seu, como telemóvel novo.",
  dispute: "Se não foi você, dê este código ao apoio: {email}. Com ele podem retirar a sua palma "
    + "da outra conta.",
  dispute_other: "A sua outra palma ainda não está registada. Pode registá-la sozinha agora.",
  title_enrolment_palm_mismatch: "Este telemóvel está associado a outra palma",
  enrolment_palm_mismatch: "Mostre também a palma registada com este telemóvel.",
  title_new_recovery_code: "O seu código de recuperação",
  new_recovery_code: "Anote-o e guarde-o em lugar seguro: não pode ser mostrado de novo. Se perder "
    + "este telemóvel, o código e a sua palma tornam outro telemóvel de confiança. Os códigos "
    + "anteriores já não valem.",
  code_kept: "Anotei-o ou guardei-o.",
  code_missing: "Assinale a caixa quando tiver guardado o código.",

  my_apps: "Entrou nestas aplicações. Cada uma conhece-o por um identificador privado diferente.",
  my_apps_none: "Não há aplicações ligadas.",
  my_apps_since: "Desde {date}",
  title_withdraw: "Desligar esta aplicação?",
  withdraw_signs_out: "A sua sessão lá é terminada.",
  withdraw: "A aplicação deixa de o reconhecer. Se entrar de novo, ela trata-o como um novo "
    + "utilizador.",
  withdrawn: "Desligada.",
  my_phones: "Estes telemóveis pertencem à sua conta. Remova os que não conhece.",
  phone_this: "Este telemóvel",
  phone_state_trusted: "De confiança",
  phone_state_new: "Novo, sem confiança",
  phone_last_used: "Última utilização: {date}",
  phone_removed: "um telemóvel que foi removido",
  title_sign_ins: "Últimas entradas",
  sign_in_station: "num posto",
  sign_in_palm: "só a palma",
  push: "Se um telemóvel novo pedir confiança, este telemóvel mostra-o, mesmo com esta página "
    + "fechada. O fabricante do seu navegador transmite a mensagem e só sabe que ela existe.",
  push_home_screen: "No iOS, só uma página no ecrã principal o consegue: prima «Partilhar» e "
    + "«Adicionar ao ecrã principal». Essa página tem o seu próprio armazenamento: abra-a e "
    + "escolha «Confiar neste telemóvel».",
  title_push_denied: "As notificações estão desligadas",
  push_denied: "Permita as notificações desta página nas definições do seu navegador e tente de "
    + "novo.",
  title_remove_phone: "Remover este telemóvel?",
  remove_phone: "Deixa de pertencer à sua conta. Para voltar, precisa da sua palma e começa como "
    + "telemóvel novo. As chaves de acesso que nenhum outro dos seus telemóveis criou ou usou e o "
    + "seu código de recuperação deixam de valer: obtenha um novo em «Definições».",
  remove_end_sign_ins: "Terminar também a sessão nas aplicações em que este telemóvel entrou.",
  title_phone_refused: "O telemóvel foi removido",
  phone_refused: "Já não pertence à sua conta, e as suas sessões terminaram. Se não era seu, "
    + "alguém tem a sua palma ou uma imagem dela.",
  title_phone_gone: "Este pedido terminou",
  title_phone_not_trusted: "Este telemóvel ainda não é de confiança",
  phone_not_trusted: "Use para isto um telemóvel de confiança, ou confie primeiro neste.",
  title_phone_owns_later: "Este telemóvel ainda não pode fazer isto",
  phone_owns_later: "Passou a ser de confiança por ter esperado. Durante sete dias, use para isto "
    + "um telemóvel de confiança mais antigo, ou confirme este com uma chave de acesso ou o seu "
    + "código de recuperação.",
  trust_phone: "Um telemóvel de confiança pode mostrar as suas aplicações e alterar a sua conta. "
    + "Para começar, mostre uma palma que já registou.",
  title_trust_ways: "Este telemóvel é novo",
  trust_ways: "A sua palma foi reconhecida. Escolha como a sua conta pode confiar neste telemóvel.",
  no_trust_way: "A sua conta não tem agora como confiar neste telemóvel. Pergunte ao operador deste "
    + "serviço.",
  title_trust_asked: "Aprove no seu outro telemóvel",
  trust_asked: "Abra esta página num telemóvel de confiança. Aprove lá o pedido com este número:",
  trust_asked_wait: "Volte aqui depois de {when} e mostre de novo a palma. Até lá, os seus "
    + "telemóveis de confiança mostram este pedido e podem recusá-lo.",
  request_refused: "Outro telemóvel recusou este.",
  passkey_failed: "Foi cancelado, ou não há aqui uma chave de acesso para a sua conta. Escolha de "
    + "novo.",
  title_phone_trusted: "O telemóvel é de confiança",
  phone_trusted: "Agora pode mostrar as suas aplicações e alterar a sua conta.",
  title_recover: "Escreva o seu código de recuperação",
  recover_wrong: "Este código não está certo. Verifique-o e tente de novo.",
  title_screen_lock: "Usar também o bloqueio de ecrã do telemóvel?",
  screen_lock: "Impressão digital, rosto ou PIN: o que desbloqueia este telemóvel. Se este "
    + "navegador perder os seus dados, o bloqueio de ecrã volta a associar este telemóvel a si, e "
    + "não tem de registar as suas palmas de novo.",
  screen_lock_when: "Pedimo-lo de vez em quando ao entrar, e antes de desligar ou apagar alguma "
    + "coisa. Fica neste telemóvel: nunca o vemos.",
  title_screen_lock_ready: "Agora o bloqueio de ecrã",
  screen_lock_ready: "A sua palma foi reconhecida. Prima o botão, e o telemóvel pedirá o bloqueio "
    + "de ecrã.",
  screen_lock_name: "Entrar com a palma",
  title_screen_lock_failed: "O bloqueio de ecrã não funcionou",
  screen_lock_failed: "Foi cancelado ou demorou demasiado. Também pode continuar sem ele.",
  title_confirm_screen_lock: "Confirme com o bloqueio de ecrã",
  confirm_screen_lock: "Isto confirma que ainda tem este telemóvel.",
  title_lost_screen_lock: "Se o seu bloqueio de ecrã já não funcionar",
  lost_screen_lock: "Este navegador pode apagar a sua chave e começar de novo. Da próxima vez que "
    + "entrar, a sua palma volta a associar este telemóvel a si, como telemóvel novo.",
  title_stop_screen_lock: "Deixar de usar o bloqueio de ecrã?",
  stop_screen_lock: "A sua palma continua a funcionar. Mas se este navegador perder os seus "
    + "dados, só a sua palma pode voltar a associar este telemóvel a si.",
  title_screen_lock_stopped: "O bloqueio de ecrã já não é usado",
  screen_lock_stopped: "Também pode apagar a chave de acesso nas definições deste telemóvel.",

  delete_me: "Os dados que descrevem as suas palmas são apagados imediatamente e para sempre.",
  delete_me_apps: "Nenhuma aplicação o reconhecerá, e perderá o acesso ao que tem nelas.",
  delete_me_palm: "Para confirmar que é você, mostre a palma mais uma vez.",
  delete_me_later: "Se um dia talvez não puder mostrar a palma, obtenha agora um código de "
    + "eliminação.",
  title_deletion_code: "O seu código de eliminação",
  deletion_code: "Anote-o e guarde-o em lugar seguro: só é mostrado uma vez. Quem o tiver pode "
    + "pedir ao operador que apague a sua conta. Os códigos anteriores já não valem.",
  title_deleted: "Conta apagada",
  deleted: "Já não guardamos nada sobre as suas palmas, e este telemóvel apagou a sua chave.",
  title_own_palm_mismatch: "Esta palma não está associada a este telemóvel",
  own_palm_mismatch: "Só a pessoa que configurou este telemóvel pode fazer isto. Experimente mais "
    + "luz ou a outra mão.",

  title_end_go: "Pronto",
  end_go: "Entrou.",
  title_end_declined: "Recusado",
  end_declined: "Nada foi partilhado.",
  title_end_reported: "Denunciado",
  end_reported: "A entrada foi interrompida e já não é válida.",
  title_end_expired: "O tempo acabou",
  title_end_locked: "Não reconhecida",
  end_locked: "Demasiadas tentativas. Nada foi partilhado. Pode recomeçar de imediato.",
  title_end_code_locked: "Código errado",
  end_code_locked: "O código errado foi escrito demasiadas vezes. Nada foi partilhado.",
  title_end_cancelled: "Cancelado no computador",
  title_end_superseded: "Foi iniciada uma entrada mais recente",
  end_superseded: "Esta terminou. Nada foi partilhado.",
  title_end_ticket_stale: "Este código QR expirou",
  end_ticket_stale: "Muda a cada poucos segundos. Leia o que está agora no ecrã.",
  title_end_login_gone: "Esta entrada já não está disponível",
  end_login_gone: "Terminou, ou o link não é válido.",
  title_end_already_claimed: "Outro telemóvel já está a responder",
  end_already_claimed: "Só um telemóvel pode responder a uma entrada. Se o outro não é seu, "
    + "cancele no computador.",
  title_end_too_many_attempts: "Demasiadas tentativas",
  end_too_many_attempts: "Tente de novo depois de {when}.",
  title_end_device_unbound: "Este telemóvel não está configurado",
  end_device_unbound: "Registe primeiro a sua palma neste telemóvel e depois leia o código de novo.",
  title_end_phone_not_trusted: "Esta aplicação exige um telemóvel de confiança",
  end_phone_not_trusted: "Nada foi partilhado. Entre com um telemóvel de confiança, ou confie "
    + "primeiro neste.",
  title_end_palm_disputed: "Esta palma está a ser verificada",
  end_palm_disputed: "Duas pessoas dizem que é sua. Até isso se esclarecer, use a sua outra "
    + "palma, ou um telemóvel de confiança.",
  title_end_trouble: "Algo correu mal",
  end_trouble: "Houve um problema do nosso lado.",
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
  action_no_wait: "Continuar sem esperar",
  action_switch_camera: "Mudar de câmara",
  action_torch: "Luz",
  action_speak: "Ler em voz alta",
  action_agree: "Aceitar e continuar",
  action_refuse: "Não, obrigado",
  action_skip_hand: "Saltar esta mão",
  action_show_palm: "Mostrar a palma e entrar",
  action_other_palm: "Registar a minha outra palma",
  action_set_up: "Registar as minhas palmas",
  action_back_here: "Voltar à entrada",
  action_home: "Voltar ao início",
  action_my_apps: "As minhas aplicações",
  action_my_phones: "Os meus telemóveis",
  action_trust_phone: "Confiar neste telemóvel",
  action_use_passkey: "Usar a sua chave de acesso",
  action_ask_phone: "Aprovar no seu outro telemóvel",
  action_approve_phone: "Aprovar",
  action_refuse_phone: "Recusar",
  action_refuse_all: "Recusar todos",
  action_remove_phone: "Remover",
  action_recover: "Escrever o código de recuperação",
  action_wait: "Esperar alguns dias",
  action_other_way: "Escolher outra forma",
  action_recovery_code: "Obter um novo código de recuperação",
  action_show_code: "Mostrar o meu código de recuperação",
  action_push: "Notificações",
  action_push_on: "Ligar",
  action_push_off: "Desligar",
  action_copy: "Copiar",
  copied: "Copiado",
  action_withdraw: "Desligar",
  action_use_screen_lock: "Usar o bloqueio de ecrã",
  action_go_without: "Continuar sem ele",
  action_screen_lock: "Usar também o bloqueio de ecrã",
  action_stop_screen_lock: "Deixar de usar o bloqueio de ecrã",
  action_lost_screen_lock: "Já não funciona",
  action_begin_again: "Começar de novo",
  action_delete_me: "Apagar a minha conta",
  action_deletion_code: "Obter um código de eliminação",
  action_delete_after_palm: "Mostrar a palma e apagar",
};

/** What a phone is called where the page is open on something else. */
export const device = [["telemóveis", "dispositivos"], ["telemóvel", "dispositivo"]];
