/**
 * The errors of the S3 API: the code that clients decide by, its HTTP status and its usual message.
 *
 * Source: "Error responses" of the Amazon S3 API reference.
 */
import * as Data from "effect/Data"

interface Entry {
  readonly status: number
  readonly message: string
}

export const table = {
  AccessDenied: { status: 403, message: "Access Denied. The key has no permission for this operation." },
  AccessForbidden: { status: 403, message: "CORS is not enabled for this bucket." },
  AuthorizationHeaderMalformed: { status: 400, message: "The authorization header is not valid." },
  AuthorizationQueryParametersError: { status: 400, message: "The query parameters of the signature are not valid." },
  BadDigest: { status: 400, message: "The content does not have the declared checksum." },
  BadRequest: { status: 400, message: "The request is not valid." },
  BucketAlreadyExists: { status: 409, message: "The tenant already has a bucket with this name." },
  BucketAlreadyOwnedByYou: { status: 409, message: "The tenant already has a bucket with this name." },
  BucketNotEmpty: { status: 409, message: "The bucket is not empty. Delete its objects first." },
  ConditionalRequestConflict: { status: 409, message: "A concurrent request changed the object. Try again." },
  EntityTooLarge: { status: 400, message: "The content is larger than the largest permitted size." },
  EntityTooSmall: { status: 400, message: "A part is smaller than 5 MiB. Only the last one may be." },
  IncompleteBody: { status: 400, message: "The body has not the number of bytes that the headers declare." },
  IncorrectNumberOfFilesInPostRequest: { status: 400, message: "The form must have one file, in the part file." },
  InternalError: {
    status: 500,
    message: "The server failed. Its log has the cause under this request id. Try again later."
  },
  InvalidAccessKeyId: { status: 403, message: "The access key is not known. Create credentials for an API token." },
  InvalidArgument: { status: 400, message: "An argument of the request is not valid." },
  InvalidBucketName: { status: 400, message: "The name of the bucket is not valid." },
  InvalidChunkSizeError: {
    status: 403,
    message: "Only the last chunk is allowed to have a size less than 8192 bytes"
  },
  InvalidDigest: { status: 400, message: "The header Content-MD5 is not the base64 of an MD5." },
  InvalidPart: { status: 400, message: "A part was not uploaded, or has another entity tag." },
  InvalidPartNumber: { status: 416, message: "The requested partnumber is not satisfiable" },
  InvalidPartOrder: { status: 400, message: "The parts are not in ascending order of their numbers." },
  InvalidPolicyDocument: { status: 400, message: "The policy of the form is not valid." },
  InvalidRange: { status: 416, message: "The requested range does not lie within the content." },
  InvalidRequest: { status: 400, message: "The request is not valid." },
  InvalidTag: { status: 400, message: "A tag is not valid." },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  KeyTooLongError: { status: 400, message: "The key has more than 1,024 bytes." },
  MalformedPOSTRequest: { status: 400, message: "The body is not a valid form (multipart/form-data)." },
  MalformedXML: { status: 400, message: "The body is not the XML document that this operation requires." },
  MaxMessageLengthExceeded: { status: 400, message: "The body is larger than this operation permits." },
  MaxPostPreDataLengthExceededError: { status: 400, message: "The form has more than 64 KiB besides its file." },
  MetadataTooLarge: {
    status: 400,
    message: "The names and values of x-amz-meta-… have more than 2,048 bytes together."
  },
  MethodNotAllowed: { status: 405, message: "The resource does not permit this method." },
  MirrorLoop: {
    status: 409,
    message: "Mirrors lead from the target bucket back to the bucket of the file, which is not copied onto itself."
  },
  MissingContentLength: { status: 411, message: "The request must declare the length of the content." },
  NoSuchBucket: { status: 404, message: "The tenant has no bucket of this name." },
  NoSuchBucketPolicy: { status: 404, message: "The bucket has no policy." },
  NoSuchCORSConfiguration: { status: 404, message: "The bucket has no CORS configuration." },
  NoSuchConfiguration: { status: 404, message: "The bucket has no such configuration." },
  NoSuchKey: { status: 404, message: "The bucket has no object with this key." },
  NoSuchLifecycleConfiguration: { status: 404, message: "The bucket has no lifecycle configuration." },
  NoSuchPublicAccessBlockConfiguration: {
    status: 404,
    message: "The bucket has no public access block configuration."
  },
  NoSuchTagSet: { status: 404, message: "There is no tag set." },
  NoSuchUpload: { status: 404, message: "There is no such multipart upload. It may have been completed or aborted." },
  NoSuchVersion: { status: 404, message: "The object has no such version." },
  NoSuchWebsiteConfiguration: { status: 404, message: "The bucket has no website configuration." },
  NotImplemented: { status: 501, message: "This server does not implement this part of the S3 API." },
  ObjectLockConfigurationNotFoundError: { status: 404, message: "The bucket has no object lock configuration." },
  OperationAborted: { status: 409, message: "A concurrent request conflicts with this one. Try again." },
  OwnershipControlsNotFoundError: { status: 404, message: "The bucket has no ownership controls." },
  PermanentRedirect: { status: 301, message: "The bucket is at another address." },
  PreconditionFailed: { status: 412, message: "A condition of the request does not hold for the current object." },
  QuotaExceeded: { status: 403, message: "A limit of the tenant or of the bucket is reached." },
  ReplicationConfigurationNotFoundError: { status: 404, message: "The bucket has no replication configuration." },
  RequestTimeTooSkewed: {
    status: 403,
    message: "The time of the request differs from that of the server by more than 15 minutes. Set the client's clock."
  },
  RequestTimeout: { status: 400, message: "The body did not arrive in time." },
  ServerSideEncryptionConfigurationNotFoundError: {
    status: 404,
    message: "The bucket has no configuration of server-side encryption."
  },
  SignatureDoesNotMatch: {
    status: 403,
    message:
      "The signature is not the one that the server computes. Check the secret key. A proxy must pass on the host name, path and headers that the client signed."
  },
  SlowDown: { status: 503, message: "Too many requests. Try again later." },
  ServiceUnavailable: { status: 503, message: "The service is temporarily unavailable. Try again later." },
  UnexpectedContent: { status: 400, message: "This operation takes no body." },
  UnprocessableEntity: { status: 422, message: "The application refuses the change." },
  XAmzContentChecksumMismatch: { status: 400, message: "The content does not have the declared checksum." },
  XAmzContentSHA256Mismatch: { status: 400, message: "The body does not have the SHA-256 of x-amz-content-sha256." }
} as const satisfies { readonly [code: string]: Entry }

export type S3Code = keyof typeof table

export const statusOf = (code: S3Code): number => table[code].status

/** An error that the S3 API answers. `fields` are further elements of the answer's XML. */
export class S3Error extends Data.TaggedError("S3Error")<{
  readonly code: S3Code
  readonly message: string
  readonly fields?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}> {
  /** Returns the error with this code; with a message of its own where the usual one does not name the fault. */
  static of(code: S3Code, message: string = table[code].message): S3Error {
    return new S3Error({ code, message })
  }
}
