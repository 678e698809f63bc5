interface Wait {
  holds: () => boolean;
  /** Nothing will change any more: a wait that does not hold then fails at once. */
  isOver: () => boolean;
  ms: number;
  /** Says what did not come; asked when the wait fails. */
  otherwise: () => string;
}

/** Waits for a condition, which is looked at again whenever something has changed. */
export class Changes {
  readonly #watchers = new Set<() => void>();

  /** Something has changed. */
  tell(): void {
    for (const watcher of this.#watchers) watcher();
  }

  until({ holds, isOver, ms, otherwise }: Wait): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (end: () => void): void => {
        clearTimeout(timer);
        this.#watchers.delete(check);
        end();
      };
      const fail = (): void => finish(() => reject(new Error(otherwise())));
      const check = (): void => {
        if (holds()) finish(resolve);
        else if (isOver()) fail();
      };
      const timer = setTimeout(fail, ms);
      this.#watchers.add(check);
      check();
    });
  }
}
