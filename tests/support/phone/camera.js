// Runs before the page's own scripts: the camera is a canvas.
(() => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1280, 720];
  const context = canvas.getContext("2d", { alpha: false });
  const seen = (window.seenByTest = { opened: 0, stopped: 0, fault: null });
  let shown = "";
  const draw = async () => {
    const name = await window.sceneOfTest();
    if (name !== shown) {
      const bytes = await (await fetch(`scene/${name}.png`)).blob();
      context.drawImage(await createImageBitmap(bytes), 0, 0);
      shown = name;
    } else {
      context.drawImage(canvas, 0, 0);
    }
  };
  const { play } = HTMLMediaElement.prototype;
  HTMLMediaElement.prototype.play = function () {
    return seen.fault === "play" ? Promise.reject(new DOMException("", "NotAllowedError"))
      : play.call(this);
  };
  Object.defineProperty(navigator, "mediaDevices", { value: {
    async getUserMedia() {
      if (seen.fault && seen.fault !== "play") throw new DOMException("as the test says", seen.fault);
      seen.opened++;
      await draw();
      const stream = canvas.captureStream(15);
      const timer = setInterval(draw, 70);
      const [track] = stream.getTracks();
      const stop = track.stop.bind(track);
      track.stop = () => { clearInterval(timer); seen.stopped++; stop(); };
      return stream;
    },
  } });
})();
