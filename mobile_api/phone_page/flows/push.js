/**
 * Web Push: has this phone show, even while the page is closed, that a new phone asks for trust.
 * iOS has it on the Home Screen only.
 */

import { saveNotification, savedNotification } from "../service/device_key.js";
import { isNotified, subscribe, unsubscribe } from "../service/subscription.js";
import { text } from "../view/parts.js";
import { show, showBusy } from "../view/stage.js";
import { t } from "../words/words.js";

/** Whether this page is open in a browser of iOS, not from the Home Screen. */
const isBesideHomeScreen = () => navigator.standalone === false && !("PushManager" in window);

/** Whether messages reach this phone; null: it can have none, or has no service worker yet. */
export async function pushState(app) {
  await app.news.ask();
  const push = app.news.said?.push;
  if (push && isBesideHomeScreen()) return false;
  const keeper = push && "PushManager" in window && (await navigator.serviceWorker?.ready);
  if (!keeper) return null;
  push.subscribed = await isNotified(app.client, push, keeper).catch(() => false);
  // In the language of this visit; an earlier page may have saved other words.
  if (push.subscribed) await saveWords();
  return push.subscribed;
}

/** Say what a message tells whom, and switch messages on or off. */
export async function choosePush(app, signal) {
  const { subscribed, public_key: key } = app.news.said.push;
  const isPossible = !isBesideHomeScreen();
  const actions = [...(isPossible ? [subscribed ? "push_off" : "push_on"] : []), "cancel"];
  const parts = [text("push"), ...(isPossible ? [] : [text("push_home_screen")])];
  const screen = { name: "push", title: t("action_push"), parts, actions };
  const chosen = await show(screen, signal);
  // First, while the browser still knows of the press.
  const isAllowed = chosen !== "push_on" || (await Notification.requestPermission()) === "granted";
  if (chosen === "cancel") return;
  showBusy("opening");
  const { pushManager } = await navigator.serviceWorker.ready;
  if (chosen === "push_off") await unsubscribe(app.client, pushManager);
  if (chosen === "push_on") {
    if (isAllowed && (await subscribe(app.client, key, pushManager))) await saveWords();
    else await explain(signal);
  }
  app.news.forget();
}

const saveWords = async () => saveNotification({ ...(await savedNotification()),
  title: t("title_request"), body: t("request_notification") });

const explain = (signal) => show({ name: "push_denied", parts: [text("push_denied")],
  actions: ["continue"], kind: "bad" }, signal);
