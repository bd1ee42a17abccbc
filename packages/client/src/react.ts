/**
 * Hooks for React.
 */
import { useState, useSyncExternalStore } from "react"
import { createUploader, type Uploader, type UploaderOptions, type UploaderSnapshot } from "./Uploader.ts"

/** Returns the state of a queue of uploads. The component renders again after every change. */
export const useUploader = <Result>(uploader: Uploader<Result>): UploaderSnapshot<Result> =>
  useSyncExternalStore(uploader.subscribe, uploader.getSnapshot, uploader.getSnapshot)

/** Creates a queue of uploads that lives as long as the component, and returns it with its state. */
export const useUploads = <Result>(
  options: UploaderOptions<Result>
): readonly [uploads: UploaderSnapshot<Result>, uploader: Uploader<Result>] => {
  const [uploader] = useState(() => createUploader(options))
  return [useUploader(uploader), uploader]
}
