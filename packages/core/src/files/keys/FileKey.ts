/**
 * The key of a file, as the S3 protocol names it: the path without its leading slash, and the name.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FolderPath } from "../../access/FolderPath.ts"
import type { InvalidRequest } from "../../Errors.ts"
import * as Input from "../../Input.ts"
import { FileName } from "../FileName.ts"
import type { Place } from "../FileRef.ts"

const decode = Input.decoder(Schema.Struct({ path: FolderPath, name: FileName }))
const decodePath = Input.decoder(Schema.Struct({ path: FolderPath }))

/**
 * Returns the place of the file with a key, normalised to Unicode NFC. That of a key with a slash at its end has an empty name: it is the
 * marker of a folder. Fails with `InvalidRequest` for a key that no file can have: one with an empty segment, with control characters, or
 * with a name of more than 255 bytes.
 */
export const toPlace = (key: string): Effect.Effect<Place, InvalidRequest> => {
  const end = key.lastIndexOf("/") + 1
  const path = `/${key.slice(0, end)}`
  return end > 1 && end === key.length
    ? Effect.map(decodePath({ path }), (decoded) => ({ path: decoded.path, name: "" }))
    : decode({ path, name: key.slice(end) })
}
