/**
 * Which upload a file has, kept where it outlives the page. It has ids, and never a key or a link.
 */

/** `localStorage`, `sessionStorage`, or an object of your own. */
export interface UploadStorage {
  readonly getItem: (key: string) => string | null
  readonly setItem: (key: string, value: string) => void
}

interface Remembered {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

export interface RememberedUploads {
  /** Returns the id of the upload of a file; undefined when there is none. */
  readonly find: (file: string) => string | undefined
  readonly set: (file: string, upload: Remembered) => void
  readonly remove: (file: string) => void
}

/** Returns what is the same for two objects of one file: a page has a new object each time a person chooses it. */
export const identityOf = ({ lastModified, name, size, type }: File): string =>
  [name, size, lastModified, type].join(" ")

const item = "holdfast-uploads"

/** Continues uploads until the page is closed, where it may not use `localStorage`. */
const inMemory = new Map<string, string>()
const memory: UploadStorage = {
  getItem: (key) => inMemory.get(key) ?? null,
  setItem: (key, value) => void inMemory.set(key, value)
}

/** Returns the storage of the platform. Node.js has none without a flag; reading the property may throw. */
const findStorage = (): UploadStorage => {
  try {
    return (Reflect.get(globalThis, "localStorage") as UploadStorage | undefined) ?? memory
  } catch {
    return memory
  }
}

export const make = (given: UploadStorage | undefined): RememberedUploads => {
  const storage = given ?? findStorage()
  const read = (): Record<string, Remembered> => {
    try {
      const all = JSON.parse(storage.getItem(item) ?? "{}") as Record<string, Remembered>
      return Object.fromEntries(Object.entries(all).filter(([, { expiresAt }]) => expiresAt > Date.now()))
    } catch {
      return {}
    }
  }
  const write = (all: Record<string, Remembered | undefined>): void => {
    try {
      storage.setItem(item, JSON.stringify(all))
    } catch {
      // A full or forbidden storage: the upload continues, but not after a reload.
    }
  }
  return {
    find: (file) => read()[file]?.id,
    set: (file, upload) => write({ ...read(), [file]: upload }),
    remove: (file) => write({ ...read(), [file]: undefined })
  }
}
