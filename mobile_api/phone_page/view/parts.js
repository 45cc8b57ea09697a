/** Pieces of screens. */

import { has, t } from "../words/words.js";
import { h } from "./dom.js";

/** A paragraph. */
export const text = (key, values = {}, given = {}) => h("p", given, t(key, values));

/** The client's registered name and host. */
export function whoAsks({ client_name: name, client_host: host }) {
  return h("div", { class: "client" },
    h("strong", { id: "client-name" }, name), h("span", { id: "client-host" }, host));
}

/** A list of terms and values; pairs without a value are omitted. */
export function facts(pairs) {
  const rows = pairs.filter(([, said]) => said).flatMap(([term, said]) =>
    [h("dt", {}, t(term)), h("dd", {}, said)]);
  return h("dl", {}, ...rows);
}

/** Where and when a sign-in was requested, as the browser reports it. */
export function originOf({ asked_from: from, asked_ago: seconds }) {
  const place = [from?.browser, from?.system].filter(Boolean).join(" · ");
  const network = has(`network_${from?.network}`) ? t(`network_${from.network}`) : "";
  return [
    ["fact_from", place],
    ["fact_network", network],
    ["fact_since", Number.isFinite(seconds) ? ago(seconds) : ""],
  ];
}

const MINUTE = 60;

function ago(seconds) {
  const format = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
  if (seconds < MINUTE) return format.format(-Math.max(0, Math.round(seconds)), "second");
  return format.format(-Math.round(seconds / MINUTE), "minute");
}

/** A date in the page's language. */
export const date = (seconds) =>
  new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long" })
    .format(seconds * 1000);

/** What leaves the phone, in plain words. */
export const modeLine = ({ sends, why }) =>
  h("p", { class: "mode", id: "mode", "data-sends": sends },
    sends === "template" ? t("mode_template") : t(`mode_picture_${why}`));

/** A confirmation code, digit by digit. */
export function codeOf(code) {
  const spoken = [...code].join(" ");
  return h("p", { class: "code", id: "code", dir: "ltr" }, spoken);
}
