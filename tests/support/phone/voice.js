// Runs before the page's own scripts: a device with voices, which writes down what it says.
(() => {
  const said = (window.saidByTest = []);
  const voices = [
    { lang: "en-US", name: "far", localService: false },
    { lang: "de-DE", name: "nah", localService: true },
    { lang: "en-GB", name: "near", localService: true },
  ];
  class Utterance {
    constructor(text) { this.text = text; }
  }
  const synthesis = new (class extends EventTarget {
    getVoices() { return window.voicesOfTest ?? voices; }
    cancel() {}
    speak(utterance) {
      said.push({ text: utterance.text, voice: utterance.voice?.name, lang: utterance.lang });
      const error = window.speechFaultOfTest;
      setTimeout(() => {
        if (error) utterance.onerror({ target: utterance, error });
        else utterance.onend({ target: utterance });
      }, 300);
    }
  })();
  Object.defineProperty(window, "speechSynthesis", { value: synthesis });
  Object.defineProperty(window, "SpeechSynthesisUtterance", { value: Utterance });
})();
