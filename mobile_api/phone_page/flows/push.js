/**
 * Web Push: has this phone show, even while the page is closed, that a new phone asks for trust.
 * Offered where the browser has it: on iOS only in the installed page.
 */

import { saveNotification } from "../service/device_key.js";
import { text } from "../view/parts.js";
import { show, showBusy } from "../view/stage.js";
import { t } from "../words/words.js";

/** Whether this phone may get Web Push; only known once the service worker is there. */
export async function mayBeNotified(app) {
  await app.news.ask();
  // In the language of this visit; an earlier page may have saved other words.
  if (app.news.said?.push?.subscribed) await saveWords();
  return Boolean(app.news.said?.push && "PushManager" in window
    && (await navigator.serviceWorker?.ready));
}

/** Say what a message tells whom, and switch messages on or off. */
export async function choosePush(app, signal) {
  const { subscribed, public_key: key } = app.news.said.push;
  const actions = [subscribed ? "push_off" : "push_on", "cancel"];
  const screen = { name: "push", title: t("action_push"), parts: [text("push")], actions };
  const chosen = await show(screen, signal);
  if (chosen === "push_off") await unsubscribe(app);
  if (chosen === "push_on" && !(await subscribe(app, key))) await explain(signal);
  app.news.forget();
}

/** Subscribe at the browser's push service; return whether it let us. */
async function subscribe(app, key) {
  // First, while the browser still knows of the press.
  if ((await Notification.requestPermission()) !== "granted") return false;
  showBusy("opening");
  const pushManager = await endEarlier();
  const wanted = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = await pushManager.subscribe(wanted).catch(() => null);
  if (!subscription) return false;
  await saveWords();
  try {
    await app.phone.subscribe(subscription.toJSON());
  } catch (fault) {
    if (fault.error !== "invalid_request") throw fault; // a push service that is not accepted
    return false;
  }
  return true;
}

const saveWords = () =>
  saveNotification({ title: t("title_request"), body: t("request_notification") });

async function unsubscribe(app) {
  showBusy("opening");
  await app.phone.unsubscribe();
  await endEarlier();
}

/** End this browser's subscription, if there is one, which may be of another key. */
async function endEarlier() {
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe();
  return pushManager;
}

const explain = (signal) => show({ name: "push_denied", parts: [text("push_denied")],
  actions: ["continue"], kind: "bad" }, signal);
