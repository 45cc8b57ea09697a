/**
 * Lets a person leave out motions that are hard for them. Kept on this phone. A phone that is not
 * trusted needs a code of the operator for that.
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

let wishes = JSON.parse(inStorage((kept) => kept.getItem(KEPT)) ?? '{"cannot":[]}');

/** Return the motions that the person cannot do, and the code for it. */
export const wishesOf = () => ({ cannot: wishes.cannot, code: wishes.code ?? "" });

/** Let the person choose. */
export async function chooseMotions(signal) {
  const boxes = MOTIONS.map(box);
  const keepEnough = () => boxes.forEach(({ input }) =>
    (input.disabled = input.checked && MOTIONS.length - cannotOf(boxes).length <= FEWEST));
  boxes.forEach(({ input }) => input.addEventListener("change", keepEnough));
  keepEnough();
  const code = h("input", { type: "text", id: "motions-code", autocomplete: "off",
    autocapitalize: "characters", spellcheck: "false", dir: "ltr", maxlength: "64" });
  code.value = wishes.code ?? "";
  const label = h("label", { for: "motions-code" }, t("motions_code"));
  const parts = [text("motions"), ...boxes.map(({ row }) => row), h("p", {}, label, code)];
  await show({ name: "motions", parts, actions: ["continue"] }, signal);
  wishes = { cannot: cannotOf(boxes), code: code.value.trim() };
  inStorage((kept) => kept.setItem(KEPT, JSON.stringify(wishes)));
}

const cannotOf = (boxes) => MOTIONS.filter((_, at) => !boxes[at].input.checked);

function box(key) {
  const input = h("input", { type: "checkbox", id: key });
  input.checked = !wishes.cannot.includes(key);
  const label = h("label", { for: key }, t(`say_${key}`));
  return { input, row: h("p", { class: "agree" }, input, label) };
}
