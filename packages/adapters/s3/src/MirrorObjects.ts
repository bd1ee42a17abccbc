/**
 * Asking for the objects of a mirror's target, listing and removing them.
 */
import type { HeadObjectCommandOutput, ListObjectsV2CommandOutput } from "@aws-sdk/client-s3"
import type { TargetObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as MirrorConnection from "./MirrorConnection.ts"
import * as S3Errors from "./S3Errors.ts"
import type * as SmallPut from "./SmallPut.ts"

/** Entity tags stand in quotes. They tell nothing of the description. */
const tagOf = (ETag: string | undefined): string => (ETag ?? "").replaceAll('"', "")

/** Seconds since 1970, whole ones: that is what a HEAD tells, while some services list fractions. */
const timeOf = (LastModified: Date | undefined): Pick<TargetObject, "lastModified"> =>
  LastModified === undefined ? {} : { lastModified: Math.floor(LastModified.getTime() / 1000) }

/** Services have several clocks, which agree to within a second. */
const slack = 1

/** What the answer to a write tells of what stands then; undefined when it tells too little. */
export const receiptOf = ({ ETag, time }: SmallPut.Answer): WriteReceipt | undefined => {
  const tag = tagOf(ETag)
  return tag === "" || time === undefined ? undefined : { tag, lastModified: time + slack }
}

/** What was found, as a receipt. */
export const receipt = ({ lastModified, tag }: TargetObject): WriteReceipt => ({ tag, lastModified })

/** What a HEAD tells, and the object of it. */
export interface Head {
  readonly object: TargetObject
  readonly answer: HeadObjectCommandOutput
}

/** Whether the object is missing, and not the bucket: of that a HEAD, which has no body, cannot tell. */
const isMissing = (cause: unknown): boolean =>
  S3Errors.statusOf(cause) === 404 && S3Errors.property(cause, "name") !== "NoSuchBucket"

/** For answers to requests that may find nothing. */
const unlessMissing = (cause: unknown): undefined => {
  if (!isMissing(cause)) throw cause
}

/** What stands under a name. */
export const head = (
  connection: MirrorConnection.Connection,
  operation: string,
  name: string
): Effect.Effect<Option.Option<Head>, MirrorTargetError> =>
  Effect.gen(function* () {
    const target = yield* connection.target(operation, name)
    const answer = yield* connection.call(operation, (client, sdk, options) =>
      client.send(new sdk.HeadObjectCommand(target), options).catch(unlessMissing)
    )
    if (answer === undefined) return Option.none()
    const { ContentLength: size, ETag, LastModified } = answer
    if (size === undefined) {
      return yield* connection.errors.unexpected(operation, "the service did not tell an object's size")
    }
    return Option.some({ object: { name, size, tag: tagOf(ETag), ...timeOf(LastModified) }, answer })
  })

/** As the port's `remove`. */
export const remove = (connection: MirrorConnection.Connection, name: string): Effect.Effect<void, MirrorTargetError> =>
  Effect.flatMap(connection.target("remove", name), (target) =>
    connection.call("remove", (client, sdk, options) =>
      // S3 itself says nothing about a missing object; some others do.
      client.send(new sdk.DeleteObjectCommand(target), options).then(() => {}, unlessMissing)
    )
  )

/** A listing is XML, which has no room for every character of a name, unless it is asked to encode them. */
const decoded = (name: string): string => decodeURIComponent(name.replaceAll("+", " "))

const objectsOf = ({ Contents = [], EncodingType }: ListObjectsV2CommandOutput): ReadonlyArray<TargetObject> =>
  Contents.flatMap(({ ETag, Key, LastModified, Size }) =>
    Key === undefined || Size === undefined
      ? []
      : [{ name: EncodingType === "url" ? decoded(Key) : Key, size: Size, tag: tagOf(ETag), ...timeOf(LastModified) }]
  )

const page = (connection: MirrorConnection.Connection, operation: string, token: string | undefined) =>
  connection
    .call(operation, (client, sdk, options) =>
      client.send(
        new sdk.ListObjectsV2Command({
          Bucket: connection.bucket,
          EncodingType: "url",
          ...(token === undefined ? {} : { ContinuationToken: token })
        }),
        options
      )
    )
    .pipe(
      Effect.flatMap((answer) =>
        Effect.try({
          try: () => [objectsOf(answer), Option.fromNullishOr(answer.NextContinuationToken)] as const,
          catch: () =>
            connection.errors.unexpected(operation, "the service listed a name that is not encoded as it says")
        })
      )
    )

/** As the port's `list`, a page of up to 1,000 at a time. */
export const list = (connection: MirrorConnection.Connection): Stream.Stream<TargetObject, MirrorTargetError> =>
  Stream.paginate<string | undefined, TargetObject, MirrorTargetError>(undefined, (token) =>
    page(connection, "list", token)
  )

/** Whether the bucket may be listed. */
export const canList = (connection: MirrorConnection.Connection): Effect.Effect<void, MirrorTargetError> =>
  Effect.asVoid(page(connection, "check", undefined))
