/** This browser's subscription to Web Push, of the page and of its service worker. */

import { saveNotification, savedNotification } from "./device_key.js";

/**
 * Whether messages reach this phone. Where they should, but the browser ended or changed its
 * subscription, there is another one afterwards.
 *
 * @param {import("./client.js").Client} client
 * @param {{subscribed: boolean, public_key: string}} push what the service said.
 * @param {ServiceWorkerRegistration} registration
 */
export async function isNotified(client, push, { pushManager }) {
  const wanted = (await savedNotification())?.endpoint;
  if (!push.subscribed && !wanted) return false;
  if (Notification.permission !== "granted") return false;
  const endpoint = (await pushManager.getSubscription())?.toJSON().endpoint;
  if (push.subscribed && endpoint && endpoint === wanted) return true;
  return subscribe(client, push.public_key, pushManager);
}

/** Subscribe at the browser's push service; return whether it let us, and ours accepts it. */
export async function subscribe(client, key, pushManager) {
  await endEarlier(pushManager);
  const wanted = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = await pushManager.subscribe(wanted).catch(() => null);
  if (!subscription) return false;
  const { endpoint, keys: { p256dh, auth } } = subscription.toJSON();
  try {
    await client.post("/account/phone/push", { endpoint, p256dh, auth });
  } catch (fault) {
    if (fault.error !== "invalid_request") throw fault; // a push service that is not accepted
    return false;
  }
  await saveNotification({ ...(await savedNotification()), endpoint });
  return true;
}

export async function unsubscribe(client, pushManager) {
  await saveNotification(undefined);
  await client.post("/account/phone/push/removal");
  await endEarlier(pushManager);
}

/** End this browser's subscription, if there is one, which may be of another key. */
async function endEarlier(pushManager) {
  await (await pushManager.getSubscription())?.unsubscribe();
}
