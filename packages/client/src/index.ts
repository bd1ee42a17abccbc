/**
 * The client of a Holdfast service for browsers and servers. The published package consists of these modules and of what they
 * import, in one bundle with its declarations: it has no dependencies.
 */
export {
  createClient,
  defaultBackoff,
  discardResumable,
  HoldfastError,
  uploadResumable,
  uploadTo
} from "@holdfast/http/client"
export type * from "@holdfast/http/client"
export {
  createUploader,
  type UploadCall,
  type Uploader,
  type UploaderOptions,
  type UploaderSnapshot,
  type UploadItem,
  type UploadState
} from "./Uploader.ts"
