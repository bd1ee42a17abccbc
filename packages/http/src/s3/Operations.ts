/**
 * The table of all operations.
 */
import type { Operation } from "./Operation.ts"
import { createBucket, deleteBucket, headBucket, listBuckets } from "./operations/buckets/Buckets.ts"
import { configurations } from "./operations/buckets/Configurations.ts"
import { listObjects, listObjectsV2, listObjectVersions } from "./operations/buckets/ListObjects.ts"
import { completeMultipartUpload } from "./operations/multipart/CompleteMultipartUpload.ts"
import {
  abortMultipartUpload,
  createMultipartUpload,
  listMultipartUploads
} from "./operations/multipart/MultipartUploads.ts"
import { listParts, uploadPart, uploadPartCopy } from "./operations/multipart/Parts.ts"
import { copyObject } from "./operations/objects/CopyObject.ts"
import { deleteObject, deleteObjects } from "./operations/objects/DeleteObject.ts"
import { getObject, headObject } from "./operations/objects/GetObject.ts"
import { getObjectAttributes } from "./operations/objects/GetObjectAttributes.ts"
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from "./operations/objects/ObjectTagging.ts"
import { postObject } from "./operations/objects/PostObject.ts"
import { putObject } from "./operations/objects/PutObject.ts"

export const operations: ReadonlyArray<Operation> = [
  listBuckets,
  createBucket,
  headBucket,
  deleteBucket,
  ...configurations,
  listObjects,
  listObjectsV2,
  listObjectVersions,
  getObject,
  headObject,
  putObject,
  postObject,
  deleteObject,
  deleteObjects,
  copyObject,
  getObjectAttributes,
  getObjectTagging,
  putObjectTagging,
  deleteObjectTagging,
  createMultipartUpload,
  listMultipartUploads,
  abortMultipartUpload,
  uploadPart,
  uploadPartCopy,
  listParts,
  completeMultipartUpload
]
