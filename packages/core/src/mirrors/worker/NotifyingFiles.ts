/**
 * The file repository as the services have it: what they write is told to the worker of mirrors in this process.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FileRepository } from "../../files/FileRepository.ts"
import { FileChangeNotifier } from "./FileChangeNotifier.ts"

export const layer: Layer.Layer<FileRepository, never, FileRepository | FileChangeNotifier> = Layer.effect(
  FileRepository,
  Effect.gen(function* () {
    const files = yield* FileRepository
    const { notify } = yield* FileChangeNotifier
    return FileRepository.of({
      ...files,
      insert: (bucket, file) => Effect.tap(files.insert(bucket, file), () => notify(bucket.bucketId)),
      replaceContent: (bucket, ...step) =>
        Effect.tap(files.replaceContent(bucket, ...step), () => notify(bucket.bucketId)),
      update: (bucket, ...step) => Effect.tap(files.update(bucket, ...step), () => notify(bucket.bucketId)),
      updateHeaders: (bucket, ...step) =>
        Effect.tap(files.updateHeaders(bucket, ...step), () => notify(bucket.bucketId)),
      remove: (bucket, ...step) => Effect.tap(files.remove(bucket, ...step), () => notify(bucket.bucketId))
    })
  })
)
