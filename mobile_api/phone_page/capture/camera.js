/** The camera: opened once, stopped for certain, its troubles told apart. */

/** Why there is no picture: denied, missing, busy or unsupported. */
export class CameraFault extends Error {
  constructor(kind) {
    super(kind);
    this.kind = kind;
  }
}

const KINDS = {
  NotAllowedError: "denied",
  SecurityError: "denied",
  NotFoundError: "missing",
  OverconstrainedError: "missing",
  NotReadableError: "busy",
  AbortError: "busy",
};

const WANTED = { width: { ideal: 1280 }, height: { ideal: 720 } };

export class Camera {
  #stream;
  /** Counts whatever ends an opening that still waits: for a permission, say. */
  #turn = 0;
  #canvas = document.createElement("canvas");
  #context = this.#canvas.getContext("2d", { willReadFrequently: true });

  /** @param {HTMLVideoElement} video where the picture is shown. */
  constructor(video) {
    this.video = video;
    this.onlost = () => {};
  }

  /**
   * Open the camera that faces away from the person or, if there is none, any.
   *
   * @param {"environment"|"user"} facing
   * @returns {Promise<boolean>} whether it is open: not if it was stopped, or opened again, before.
   * @throws {CameraFault}
   */
  async open(facing) {
    this.stop();
    const turn = this.#turn;
    try {
      const stream = await streamOf({ ...WANTED, facingMode: { ideal: facing } });
      if (turn === this.#turn) await this.#show(stream);
      else end(stream);
    } catch (fault) {
      if (turn === this.#turn) throw fault;
    }
    return turn === this.#turn;
  }

  #show(stream) {
    this.#stream = stream;
    const [track] = stream.getVideoTracks();
    track.onended = () => this.onlost();
    this.video.srcObject = stream;
    return this.video.play();
  }

  /** Whether the picture shows the person as a mirror would: every camera but the rear one. */
  get isFacingPerson() {
    const [track] = this.#stream.getVideoTracks();
    return track.getSettings().facingMode !== "environment";
  }

  /** Whether the camera has a lamp. */
  get hasTorch() {
    const [track] = this.#stream.getVideoTracks();
    return Boolean(track.getCapabilities?.().torch);
  }

  /** Switch the lamp. */
  async shine(isOn) {
    const [track] = this.#stream.getVideoTracks();
    await track.applyConstraints({ advanced: [{ torch: isOn }] });
  }

  /** Take a frame as it is, never mirrored: {data: ArrayBuffer of RGBA, width, height}. */
  frame() {
    const { videoWidth: width, videoHeight: height } = this.video;
    if (!width || !height) return null;
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    this.#context.drawImage(this.video, 0, 0);
    const { data } = this.#context.getImageData(0, 0, width, height);
    return { data: data.buffer, width, height };
  }

  /**
   * Turn a frame into a JPEG.
   *
   * @param {{data: ArrayBuffer, width: number, height: number}} [frame] if it is not the one
   *   that was taken last.
   * @returns {Promise<Blob>}
   */
  picture(frame) {
    if (frame) {
      const { data, width, height } = frame;
      this.#context.putImageData(new ImageData(new Uint8ClampedArray(data), width, height), 0, 0);
    }
    return new Promise((resolve) => this.#canvas.toBlob(resolve, "image/jpeg", 0.95));
  }

  /** Let go of the camera, also of one that is being opened. */
  stop() {
    this.#turn++;
    if (this.#stream) end(this.#stream);
    this.video.srcObject = null;
  }
}

const end = (stream) => stream.getTracks().forEach((track) => track.stop());

async function streamOf(video) {
  if (!navigator.mediaDevices?.getUserMedia) throw new CameraFault("unsupported");
  try {
    return await navigator.mediaDevices.getUserMedia({ video, audio: false });
  } catch (fault) {
    throw new CameraFault(KINDS[fault.name] ?? "busy");
  }
}
