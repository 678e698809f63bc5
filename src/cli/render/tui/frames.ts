const FRAME_MS = 50;

export interface Frames {
  /** There is something new to draw: at once when nothing was drawn lately, else with what comes until the next frame. */
  request(): void;
  /** Nothing is drawn any more but by whoever calls it. */
  stop(): void;
}

/** Drawing a picture takes some 10 ms, and a thousand results may come in a tenth of a second: they share pictures. */
export function createFrames(draw: () => void): Frames {
  let timer: NodeJS.Timeout | undefined;
  let isPending = false;
  let isStopped = false;
  const frame = (): void => {
    isPending = false;
    draw();
    // Counted from the end of the drawing, so that keys and signals get their turn between two pictures.
    timer = setTimeout(() => {
      timer = undefined;
      if (isPending) frame();
    }, FRAME_MS);
  };
  return {
    request: () => {
      isPending = true;
      if (timer === undefined && !isStopped) frame();
    },
    stop: () => {
      clearTimeout(timer);
      isPending = false;
      isStopped = true;
    },
  };
}
