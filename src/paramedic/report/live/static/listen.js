// Listening to the server: connects again when it comes back, rests while nobody looks at the page.
"use strict";

function paramedicListen(address, hear) {
  const light = document.getElementById("connection");
  let source = null;

  function say(state, words) {
    if (light.dataset.state === state) return;
    light.dataset.state = state;
    light.textContent = words;
  }

  function open() {
    if (source || document.hidden) return;
    source = new EventSource(address);
    source.onopen = () => say("open", "Live");
    source.onmessage = (event) => {
      say("open", "Live");
      hear(JSON.parse(event.data));
      document.documentElement.dataset.version = event.lastEventId;
    };
    source.onerror = () => {
      say("lost", "No answer: the server has ended or cannot be reached. Trying again …");
      if (source.readyState === EventSource.CLOSED) {
        // Refused, not lost: the browser does not try again by itself.
        close();
        setTimeout(open, 3000);
      }
    };
  }

  function close() {
    if (source) source.close();
    source = null;
  }

  // A browser keeps six connections to a server: a page in the background gives its own back.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
}
