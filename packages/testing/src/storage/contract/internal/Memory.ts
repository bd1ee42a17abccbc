/**
 * The test that memory does not grow with the blob.
 */
import * as BoundedMemory from "../../BoundedMemory.ts"
import * as Blobs from "./Blobs.ts"
import type { Settings, Tester } from "./Settings.ts"

export const register = (it: Tester, { boundedMemory, largeBytes, largeTimeout }: Settings): void => {
  const test = boundedMemory ? it.effect : it.effect.skip
  const name = `put and read: ${Math.round(largeBytes / Blobs.mebibyte)} MiB → memory stays bounded`
  test(
    boundedMemory ? name : `${name} [skipped: this store is in memory]`,
    () => BoundedMemory.check({ bytes: largeBytes }),
    largeTimeout
  )
}
