/* Hearing from the server: connects again when it comes back, rests while nobody looks. */
(() => {
  "use strict";
  const Paramedic = (window.Paramedic = window.Paramedic || {});
  const AGAIN = 3000; // milliseconds until a server that refused is asked again

  /** Call `tell(message)` with everything that comes from `address`. */
  Paramedic.hear = (address, tell) => {
    const light = document.getElementById("connection");
    let source = null, waiting = null;

    const say = (state, words) => {
      if (light.dataset.state === state) return;
      light.dataset.state = state;
      light.textContent = words;
    };

    const close = () => {
      clearTimeout(waiting);
      if (source) source.close();
      source = null;
    };

    /** Whether the server is a new one, to which our cookie says nothing. */
    const seeWhy = async () => {
      const answer = await fetch(address, { method: "HEAD" }).catch(() => null);
      if (answer && answer.status === 403)
        say("shut", "The server was started anew: open the URL that it has printed.");
    };

    const open = () => {
      if (source || document.hidden) return;
      source = new EventSource(address);
      source.onmessage = (event) => {
        say("open", "Live");
        tell(JSON.parse(event.data));
        document.documentElement.dataset.version = event.lastEventId;
      };
      source.onerror = () => {
        if (light.dataset.state !== "shut")
          say("lost", "No answer: the server has ended or cannot be reached. Trying again …");
        if (source.readyState !== EventSource.CLOSED) return; // the browser tries by itself
        close();
        seeWhy();
        waiting = setTimeout(open, AGAIN);
      };
    };

    // A browser keeps six connections to a server: a page in the background gives its own back.
    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    addEventListener("pagehide", close);
    addEventListener("pageshow", open);
    open();
  };
})();
