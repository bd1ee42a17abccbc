/**
 * A queue of uploads as an observable store: several at once, with progress, pause and retries.
 */
import { defaultBackoff, identityOf, type Progress, waitToRetry } from "@holdfast/http/client"

/**
 * - `pending`: waits for its turn, or for its next attempt;
 * - `uploading`: its bytes are being sent;
 * - `paused`: waits for `resume`;
 * - `completed`: `result` is what `upload` returned;
 * - `failed`: `error` is the reason of the last attempt.
 */
export type UploadState = "pending" | "uploading" | "paused" | "completed" | "failed"

export interface UploadItem<Result> {
  readonly id: string
  readonly file: File
  readonly state: UploadState
  /** Bytes that `upload` has reported last. */
  readonly sent: number
  /** Bytes of the file. */
  readonly total: number
  readonly attempts: number
  readonly result: Result | undefined
  readonly error: unknown
}

export interface UploaderSnapshot<Result> {
  /** In the order in which they were added. */
  readonly items: ReadonlyArray<UploadItem<Result>>
  /** Bytes of all items. */
  readonly sent: number
  readonly total: number
  /** Whether an item is pending or uploading. */
  readonly isActive: boolean
}

/** What an upload needs from the queue. */
export interface UploadCall {
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

export interface UploaderOptions<Result> {
  /** Sends one file: by `uploadResumable` or `uploadTo` to an address from your backend, or by `client.files.upload`. */
  readonly upload: (file: File, call: UploadCall) => Promise<Result>
  /**
   * Gives up what an upload has begun when its item is removed before it is completed, by `discardResumable` for example. When it rejects, the
   * service removes the bytes when the upload expires. It is not called while another item has begun the same file: `uploadResumable` has one
   * upload for both.
   */
  readonly discard?: ((file: File) => Promise<void>) | undefined
  /** Uploads that run at once. Default: 3. */
  readonly concurrency?: number | undefined
  /** Attempts of one upload, the first one included. Default: 5. */
  readonly maxAttempts?: number | undefined
  /** Returns the milliseconds to wait before another attempt; undefined for none. Default: `defaultBackoff`. */
  readonly backoff?: ((error: unknown, attempts: number) => number | undefined) | undefined
}

export interface Uploader<Result> {
  /** Adds files to the end of the queue, and returns the ids of their items. */
  readonly add: (files: Iterable<File>) => ReadonlyArray<string>
  /** Pauses an item, or all that are pending or uploading. */
  readonly pause: (id?: string) => void
  /** Continues a paused item, or all of them. */
  readonly resume: (id?: string) => void
  /** Starts a failed item again, or all of them. */
  readonly retry: (id?: string) => void
  /** Removes an item, or all of them. One that is uploading is aborted; what it has begun is given up by `discard`. */
  readonly remove: (id?: string) => void
  /** Calls the listener after every change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void
  /** Returns the state of the queue: the same object until something changes. */
  readonly getSnapshot: () => UploaderSnapshot<Result>
}

/**
 * Creates a queue of uploads. Its functions need no `this`.
 *
 * @example
 * const uploader = createUploader({ upload: async (file, call) => uploadResumable(await askForLink(file), file, call) })
 * input.addEventListener("change", () => uploader.add(input.files))
 */
export const createUploader = <Result>(options: UploaderOptions<Result>): Uploader<Result> => {
  const { backoff = defaultBackoff, concurrency = 3, discard, maxAttempts = 5, upload } = options
  const items = new Map<string, UploadItem<Result>>()
  /** Ends the attempt of an item, or its wait for the next one. */
  const interrupts = new Map<string, () => void>()
  /** Ids of the items that have had an attempt, and that `discard` may concern. */
  const begun = new Set<string>()
  const listeners = new Set<() => void>()
  let snapshot: UploaderSnapshot<Result> | undefined
  let count = 0

  const publish = (): void => {
    snapshot = undefined
    for (const listener of listeners) listener()
  }

  const change = (id: string, changes: Partial<UploadItem<Result>>): void => {
    const item = items.get(id)
    if (item === undefined) return
    items.set(id, { ...item, ...changes })
    publish()
  }

  const interrupt = (id: string): void => {
    interrupts.get(id)?.()
    interrupts.delete(id)
  }

  /** Ends an attempt with an error, or waits for the next one. */
  const fail = (id: string, error: unknown, attempts: number): void => {
    const delay = attempts < maxAttempts ? backoff(error, attempts) : undefined
    if (delay === undefined) return change(id, { state: "failed", error })
    const waiting = new AbortController()
    interrupts.set(id, () => waiting.abort())
    void waitToRetry(delay, waiting.signal).then(() => {
      if (waiting.signal.aborted) return
      interrupts.delete(id)
      startNext()
    })
    change(id, { state: "pending", error })
  }

  const start = ({ attempts: before, file, id }: UploadItem<Result>): void => {
    const controller = new AbortController()
    const { signal } = controller
    const attempts = before + 1
    interrupts.set(id, () => controller.abort())
    begun.add(id)
    change(id, { state: "uploading", attempts, error: undefined })
    const end = (then: () => void): void => {
      // After a pause or a removal, the item may have another attempt already.
      if (signal.aborted) return
      interrupts.delete(id)
      then()
      startNext()
    }
    const onProgress = ({ sent }: Progress): void => {
      if (!signal.aborted) change(id, { sent })
    }
    Promise.resolve()
      .then(() => upload(file, { signal, onProgress }))
      .then(
        (result) =>
          end(() => {
            begun.delete(id)
            change(id, { state: "completed", sent: file.size, result })
          }),
        (error: unknown) => end(() => fail(id, error, attempts))
      )
  }

  const startNext = (): void => {
    // Looks again after each start: it calls the listeners, which may change the queue.
    for (;;) {
      const all = [...items.values()]
      if (all.filter(({ state }) => state === "uploading").length >= concurrency) return
      // An item with an interrupt waits for its backoff.
      const next = all.find(({ id, state }) => state === "pending" && !interrupts.has(id))
      if (next === undefined) return
      start(next)
    }
  }

  /** Applies a change to one item or to all, where their states permit it. */
  const each = (id: string | undefined, states: ReadonlyArray<UploadState>, apply: (id: string) => void): void => {
    for (const item of items.values()) {
      if ((id === undefined || item.id === id) && states.includes(item.state)) apply(item.id)
    }
    startNext()
  }

  return {
    add: (files) => {
      const added = Array.from(files, (file): UploadItem<Result> => {
        const id = `upload-${++count}`
        return {
          id,
          file,
          state: "pending",
          sent: 0,
          total: file.size,
          attempts: 0,
          result: undefined,
          error: undefined
        }
      })
      for (const item of added) items.set(item.id, item)
      publish()
      startNext()
      return added.map(({ id }) => id)
    },

    pause: (id) =>
      each(id, ["pending", "uploading"], (one) => {
        interrupt(one)
        change(one, { state: "paused" })
      }),

    resume: (id) => each(id, ["paused"], (one) => change(one, { state: "pending" })),

    retry: (id) => each(id, ["failed"], (one) => change(one, { state: "pending", attempts: 0 })),

    remove: (id) =>
      each(id, ["pending", "uploading", "paused", "completed", "failed"], (one) => {
        interrupt(one)
        const file = items.get(one)?.file
        const isBegun = begun.delete(one)
        items.delete(one)
        publish()
        if (file === undefined || !isBegun) return
        const identity = identityOf(file)
        if ([...items.values()].some((other) => begun.has(other.id) && identityOf(other.file) === identity)) return
        void Promise.resolve()
          .then(() => discard?.(file))
          .catch(() => undefined)
      }),

    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    getSnapshot: () => {
      if (snapshot !== undefined) return snapshot
      const all = [...items.values()]
      snapshot = {
        items: all,
        sent: all.reduce((sum, item) => sum + item.sent, 0),
        total: all.reduce((sum, item) => sum + item.total, 0),
        isActive: all.some(({ state }) => state === "pending" || state === "uploading")
      }
      return snapshot
    }
  }
}
