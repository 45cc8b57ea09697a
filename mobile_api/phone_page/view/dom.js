/** Creates elements; text is always text, never markup. */

/**
 * Return an element.
 *
 * @param {string} tag
 * @param {object} given attributes; a function is a listener; true is an empty attribute.
 * @param {...(Node|string|null|false)} children
 */
export function h(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  set(element, given);
  element.append(...children.filter((child) => child !== null && child !== false));
  return element;
}

/** Return an element of a drawing. */
export function svg(tag, given = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, given);
  element.append(...children);
  return element;
}

function set(element, given) {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
}
