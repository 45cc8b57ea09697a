/** The camera: opening, stopping, frames, and kinds of failure. */

/** No picture; kind: denied, missing, busy, stopped, paused or unsupported. */
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

/** Around a hand, as a share of its longer side. */
const MARGIN = 0.15;

/** Longer side of a small picture. */
const SMALL_PX = 960;

/** One stream for all that a page shows: each opening may ask the person for permission. */
export class Camera {
  #stream;
  #facing;
  /** Incremented to cancel an opening that still waits, for example for permission. */
  #turn = 0;
  #canvas = document.createElement("canvas");
  #context = this.#canvas.getContext("2d", { willReadFrequently: true });

  constructor() {
    this.onlost = () => {};
    document.addEventListener("visibilitychange", () => document.hidden && this.stop());
  }

  /**
   * Show the camera that faces this way or, if there is none, any; one that is open stays so.
   *
   * @param {"environment"|"user"} facing
   * @param {HTMLVideoElement} video
   * @returns {Promise<boolean>} false if it was stopped or opened again meanwhile.
   * @throws {CameraFault}
   */
  async open(facing, video) {
    const isOpen = facing === this.#facing && this.#stream?.active;
    if (!isOpen) this.stop();
    [this.#facing, this.video] = [facing, video];
    const turn = ++this.#turn;
    try {
      const stream = isOpen ? this.#stream
        : await streamOf({ ...WANTED, facingMode: { ideal: facing } });
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
    track.onended = () => this.onlost(new CameraFault("stopped"));
    this.video.srcObject = stream;
    // A phone that saves power wants a press just before.
    return this.video.play().catch(() => Promise.reject(new CameraFault("paused")));
  }

  /** Whether the camera faces the person: every camera but the rear one. */
  get isFacingPerson() {
    const [track] = this.#stream.getVideoTracks();
    return track.getSettings().facingMode !== "environment";
  }

  /** Whether the camera has a torch. */
  get hasTorch() {
    const [track] = this.#stream.getVideoTracks();
    return Boolean(track.getCapabilities?.().torch);
  }

  /** Switch the torch. */
  async setTorch(isOn) {
    const [track] = this.#stream.getVideoTracks();
    await track.applyConstraints({ advanced: [{ torch: isOn }] });
  }

  /** Return an unmirrored frame: {data: ArrayBuffer of RGBA, width, height}. */
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
   * Encode a frame as JPEG, or only the part with a hand.
   *
   * @param {{data: ArrayBuffer, width: number, height: number}} [frame] default: the last frame.
   * @param {{points: {x: number, y: number}[]}|null} [hand] the part to keep, at full detail.
   * @returns {Promise<Blob>}
   */
  picture(frame, hand = null) {
    if (frame) {
      const { data, width, height } = frame;
      this.#context.putImageData(new ImageData(new Uint8ClampedArray(data), width, height), 0, 0);
    }
    if (!hand) return jpegOf(this.#canvas, 0.95);
    const { x, y, width, height } = partOf(hand, this.#canvas);
    const part = document.createElement("canvas");
    [part.width, part.height] = [width, height];
    part.getContext("2d").drawImage(this.#canvas, x, y, width, height, 0, 0, width, height);
    return jpegOf(part, 0.85);
  }

  /** Return the last frame on a new canvas. */
  still() {
    const still = this.#canvas.cloneNode();
    still.getContext("2d").drawImage(this.#canvas, 0, 0);
    return still;
  }

  /** Encode the last frame as JPEG, at most SMALL_PX long. */
  async smallPicture() {
    const { width, height } = this.#canvas;
    const scale = Math.min(1, SMALL_PX / Math.max(width, height));
    const small = document.createElement("canvas");
    [small.width, small.height] = [Math.round(width * scale), Math.round(height * scale)];
    small.getContext("2d").drawImage(this.#canvas, 0, 0, small.width, small.height);
    const blob = await jpegOf(small, 0.92);
    return new Uint8Array(await blob.arrayBuffer());
  }

  /** Stop the camera and cancel an opening. */
  stop() {
    this.#turn++;
    if (this.#stream) end(this.#stream);
    if (this.video) this.video.srcObject = null;
  }
}

/** Return the part of a frame that has a hand, with a margin in which the hand is found again. */
export function partOf({ points }, { width, height }) {
  const across = (axis, limit) => {
    const places = points.map((point) => point[axis]);
    const [low, high] = [Math.min(...places), Math.max(...places)];
    return { low, high, limit };
  };
  const [x, y] = [across("x", width), across("y", height)];
  const margin = MARGIN * Math.max(x.high - x.low, y.high - y.low);
  const [left, right] = within(x, margin);
  const [top, bottom] = within(y, margin);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

const within = ({ low, high, limit }, margin) =>
  [Math.max(0, Math.floor(low - margin)), Math.min(limit, Math.ceil(high + margin))];

const jpegOf = (canvas, quality) =>
  new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));

const end = (stream) => stream.getTracks().forEach((track) => track.stop());

async function streamOf(video) {
  if (!navigator.mediaDevices?.getUserMedia) throw new CameraFault("unsupported");
  try {
    return await navigator.mediaDevices.getUserMedia({ video, audio: false });
  } catch (fault) {
    throw new CameraFault(KINDS[fault.name] ?? "busy");
  }
}
