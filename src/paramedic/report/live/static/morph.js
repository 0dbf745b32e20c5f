/* Makes one piece of a page into another by changing only what differs, so that the focus, what is
   unfolded and the scroll position stay. What scripts have drawn is left alone. */
(() => {
  "use strict";
  const Paramedic = (window.Paramedic = window.Paramedic || {});
  const DRAWN = ".chart, .scale, .readout"; // filled by scripts: their inside is not in the template
  const KEPT = { CANVAS: ["width", "height", "style"], DETAILS: ["open"] }; // set by scripts and readers

  const attributes = (old, newer) => {
    const kept = KEPT[old.tagName] || [];
    for (const { name } of [...old.attributes]) {
      if (!newer.hasAttribute(name) && !kept.includes(name)) old.removeAttribute(name);
    }
    for (const { name, value } of [...newer.attributes]) {
      if (!kept.includes(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
  };

  /** Two pieces that may become each other; a card of another finding is another card. */
  const alike = (old, newer) => {
    if (old.nodeType !== newer.nodeType || old.nodeName !== newer.nodeName) return false;
    if (old.nodeType !== Node.ELEMENT_NODE) return true;
    if (!old.matches(".card")) return true;
    const title = (one) => one.querySelector("summary").firstElementChild.parentElement.querySelector("h2, h3, h4, h5").textContent;
    return title(old) === title(newer);
  };

  const become = (old, newer) => {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== newer.nodeValue) old.nodeValue = newer.nodeValue;
      return;
    }
    attributes(old, newer);
    if (!old.matches(DRAWN)) Paramedic.morph(old, newer);
  };

  /** Give `old` the children of `newer`. */
  Paramedic.morph = (old, newer) => {
    let place = old.firstChild;
    for (const wanted of [...newer.childNodes]) {
      if (place && alike(place, wanted)) {
        become(place, wanted);
        place = place.nextSibling;
      } else if (place) {
        const next = place.nextSibling;
        old.replaceChild(wanted, place);
        place = next;
      } else {
        old.append(wanted);
      }
    }
    while (place) {
      const next = place.nextSibling;
      place.remove();
      place = next;
    }
  };
})();
