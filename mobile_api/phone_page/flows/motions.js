/**
 * Lets a person leave out motions that are hard for them, and the light. Kept on this phone. A
 * phone that is not trusted needs a code of the operator for that.
 */

import { MOTIONS } from "../capture/motions.js";
import { inStorage } from "../view/storage.js";
import { h } from "../view/dom.js";
import { text } from "../view/parts.js";
import { show } from "../view/stage.js";
import { t } from "../words/words.js";

const KEPT = "thenar-motions";

/** The service needs some choice: at least so many motions remain. */
const FEWEST = 2;

let wishes = JSON.parse(inStorage((kept) => kept.getItem(KEPT)) ?? '{"cannot":[],"light":true}');

/** Return the motions that the person cannot do, the code for it, and whether there is light. */
export function wishesOf() {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return { cannot: wishes.cannot, code: wishes.code ?? "", light: wishes.light && !isCalm };
}

/** Let the person choose. */
export async function chooseMotions(signal) {
  const boxes = [...MOTIONS, "light"].map((key) => box(key, isWanted(key)));
  const keepEnough = () => boxes.slice(0, -1).forEach(({ input }) =>
    (input.disabled = input.checked && MOTIONS.length - cannotOf(boxes).length <= FEWEST));
  boxes.forEach(({ input }) => input.addEventListener("change", keepEnough));
  keepEnough();
  const code = h("input", { type: "text", id: "motions-code", autocomplete: "off",
    autocapitalize: "characters", spellcheck: "false", dir: "ltr", maxlength: "64" });
  code.value = wishes.code ?? "";
  const label = h("label", { for: "motions-code" }, t("motions_code"));
  const parts = [text("motions"), ...boxes.map(({ row }) => row), h("p", {}, label, code)];
  await show({ name: "motions", parts, actions: ["continue"] }, signal);
  wishes = { cannot: cannotOf(boxes), code: code.value.trim(),
    light: boxes.at(-1).input.checked };
  inStorage((kept) => kept.setItem(KEPT, JSON.stringify(wishes)));
}

const isWanted = (key) => (key === "light" ? wishes.light : !wishes.cannot.includes(key));

const cannotOf = (boxes) => MOTIONS.filter((_, at) => !boxes[at].input.checked);

function box(key, isChecked) {
  const input = h("input", { type: "checkbox", id: key });
  input.checked = isChecked;
  const label = h("label", { for: key }, t(key === "light" ? "motions_light" : `say_${key}`));
  return { key, input, row: h("p", { class: "agree" }, input, label) };
}
