/**
 * What each method of the repository ports does. A method that is missing here is a type error, and a port that is missing
 * fails the contract.
 */
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { RemovalRepository } from "@holdfast/core/buckets/RemovalRepository"
import { CaptionRepository } from "@holdfast/core/captions/CaptionRepository"
import { PosterRepository } from "@holdfast/core/posters/PosterRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { DeploymentRepository } from "@holdfast/core/deployment/DeploymentRepository"
import { EventRepository } from "@holdfast/core/events/EventRepository"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import { ScrubRepository } from "@holdfast/core/integrity/ScrubRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { HookTaskRepository } from "@holdfast/core/files/hooks/HookTaskRepository"
import { ShareRepository } from "@holdfast/core/files/shares/ShareRepository"
import { FolderRepository } from "@holdfast/core/folders/FolderRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { QuotaRepository } from "@holdfast/core/quotas/QuotaRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import { DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import { WebhookRepository } from "@holdfast/core/webhooks/WebhookRepository"
import type * as Context from "effect/Context"

/**
 * - `READ`: changes nothing.
 * - `WRITE`: changes what a user sees or decides, and writes an event.
 * - `INTERNAL`: changes only how Holdfast works, such as a lease, a blob's state or the progress of a job. Writes no event.
 */
type Kind = "READ" | "WRITE" | "INTERNAL"

const port = <I, S>(key: Context.Key<I, S>, methods: { readonly [Name in keyof S]: Kind }) => {
  const name = key.key.slice(key.key.lastIndexOf("/") + 1)
  return {
    key: key.key,
    writes: Object.entries(methods).flatMap(([method, kind]) => (kind === "WRITE" ? [`${name}.${method}`] : []))
  }
}

export const ports = [
  port(AccessRepository, {
    findByKey: "READ",
    findByCredential: "READ",
    findByAccount: "READ",
    findByShare: "READ",
    isPublic: "READ",
    recordUse: "INTERNAL"
  }),
  port(AccountRepository, {
    findOrCreate: "WRITE",
    findByEmail: "READ",
    putKey: "WRITE",
    listKeys: "READ",
    revokeKey: "WRITE"
  }),
  port(BlobRepository, {
    stage: "INTERNAL",
    reserve: "INTERNAL",
    renew: "INTERNAL",
    expire: "INTERNAL",
    hold: "INTERNAL",
    releaseHold: "INTERNAL",
    listDue: "READ",
    claimDue: "INTERNAL",
    postpone: "INTERNAL",
    forget: "INTERNAL",
    doomUnreferenced: "INTERNAL",
    listParts: "READ",
    findWhole: "READ",
    list: "READ",
    filterKnown: "READ"
  }),
  port(CaptionRepository, { attach: "WRITE", listByContent: "READ", findCues: "READ", remove: "WRITE" }),
  port(PosterRepository, {
    set: "WRITE",
    find: "READ",
    remove: "WRITE",
    claim: "INTERNAL",
    complete: "INTERNAL",
    expireLeases: "INTERNAL"
  }),
  port(BucketRepository, {
    create: "WRITE",
    find: "READ",
    findByName: "READ",
    list: "READ",
    update: "WRITE",
    remove: "WRITE"
  }),
  port(ConversionRepository, {
    request: "WRITE",
    listByContent: "READ",
    findStreamFile: "READ",
    findSegments: "READ",
    remove: "WRITE",
    replaceDamaged: "WRITE",
    claim: "INTERNAL",
    renew: "INTERNAL",
    stage: "INTERNAL",
    publish: "WRITE",
    append: "INTERNAL",
    fail: "WRITE",
    release: "INTERNAL",
    releaseDash: "INTERNAL",
    expireLeases: "INTERNAL",
    queueDepth: "READ",
    findCopy: "READ",
    claimPoster: "INTERNAL",
    publishPoster: "INTERNAL",
    completePictures: "INTERNAL",
    findReady: "READ"
  }),
  port(DamageRepository, {
    find: "READ",
    record: "INTERNAL",
    clear: "INTERNAL",
    claimDue: "INTERNAL",
    postpone: "INTERNAL"
  }),
  port(DeploymentRepository, {
    check: "READ",
    findStoreId: "INTERNAL",
    claimStoreId: "INTERNAL",
    replaceStoreId: "INTERNAL",
    bringForward: "INTERNAL"
  }),
  port(EventRepository, { list: "READ", recordRefusal: "WRITE", deleteOlder: "INTERNAL" }),
  port(FileRepository, {
    insert: "WRITE",
    replaceContent: "WRITE",
    find: "READ",
    list: "READ",
    listFolders: "READ",
    listKeys: "READ",
    count: "READ",
    update: "WRITE",
    updateMetadata: "WRITE",
    updateHeaders: "WRITE",
    remove: "WRITE",
    removeMany: "WRITE",
    move: "WRITE"
  }),
  // A job is no record of the bucket: the events are those of its files.
  port(FolderRepository, {
    start: "WRITE",
    find: "READ",
    claim: "INTERNAL",
    step: "WRITE",
    fail: "INTERNAL",
    cancel: "INTERNAL",
    release: "INTERNAL"
  }),
  port(MemberRepository, {
    add: "WRITE",
    listInvitations: "READ",
    accept: "WRITE",
    findOwn: "READ",
    find: "READ",
    list: "READ",
    changeRole: "WRITE",
    remove: "WRITE"
  }),
  port(MirrorRepository, {
    create: "WRITE",
    find: "READ",
    list: "READ",
    update: "WRITE",
    remove: "WRITE",
    requestSync: "WRITE",
    files: "READ",
    queueDepth: "READ"
  }),
  port(MirrorTaskRepository, {
    findCopies: "READ",
    due: "READ",
    createTasks: "INTERNAL",
    retryTasks: "INTERNAL",
    clearRemoved: "INTERNAL",
    claim: "INTERNAL",
    renew: "INTERNAL",
    complete: "INTERNAL",
    abandon: "INTERNAL",
    fail: "WRITE",
    recover: "WRITE",
    claimReconciliation: "INTERNAL",
    renewReconciliation: "INTERNAL",
    compare: "INTERNAL",
    findOwnNames: "READ",
    markMissing: "INTERNAL",
    completeReconciliation: "INTERNAL",
    reseal: "INTERNAL"
  }),
  port(RemovalRepository, { claim: "INTERNAL", step: "WRITE", release: "INTERNAL" }),
  port(ShareRepository, {
    checkUpload: "READ",
    create: "WRITE",
    find: "READ",
    findByToken: "READ",
    findById: "READ",
    list: "READ",
    update: "WRITE",
    deleteExpired: "WRITE",
    remove: "WRITE",
    countDownload: "INTERNAL",
    countAttempt: "INTERNAL",
    forgetAttempts: "INTERNAL"
  }),
  port(ScrubRepository, { claim: "INTERNAL", save: "INTERNAL", release: "INTERNAL" }),
  port(TenantRepository, { create: "WRITE", find: "READ", list: "READ", update: "WRITE", remove: "WRITE" }),
  port(QuotaRepository, {
    find: "READ",
    change: "WRITE",
    count: "READ",
    listReached: "READ",
    forgetReached: "INTERNAL",
    countReached: "READ"
  }),
  port(TokenRepository, {
    create: "WRITE",
    find: "READ",
    list: "READ",
    revoke: "WRITE",
    putS3Secret: "WRITE",
    findS3Secret: "READ",
    findS3SecretTime: "READ",
    removeS3Secret: "WRITE"
  }),
  // An upload that is not complete is no record of the bucket: the event is that of its file.
  port(UploadRepository, {
    create: "INTERNAL",
    find: "READ",
    list: "READ",
    takeOver: "INTERNAL",
    prolong: "INTERNAL",
    replacedBytes: "READ",
    declareLength: "INTERNAL",
    addPart: "INTERNAL",
    listParts: "READ",
    abort: "INTERNAL",
    claimDigest: "INTERNAL",
    postponeDigest: "INTERNAL",
    recordDigest: "INTERNAL",
    deleteExpired: "INTERNAL"
  }),
  port(UsageRepository, { ofTenant: "READ", ofBucket: "READ", recount: "INTERNAL", countDrifts: "READ" }),
  port(HookTaskRepository, { claim: "INTERNAL", complete: "INTERNAL", retry: "INTERNAL" }),
  port(DeliveryRepository, {
    due: "READ",
    claim: "INTERNAL",
    complete: "WRITE",
    expireLeases: "INTERNAL",
    reseal: "INTERNAL",
    list: "READ",
    find: "READ",
    replay: "WRITE",
    deleteEnded: "INTERNAL",
    deleteAbandoned: "INTERNAL",
    queueDepth: "READ"
  }),
  port(WebhookRepository, {
    create: "WRITE",
    find: "READ",
    list: "READ",
    update: "WRITE",
    rotate: "WRITE",
    remove: "WRITE",
    test: "WRITE",
    requestRecovery: "WRITE",
    recover: "INTERNAL"
  })
]

/** The methods that write an event, such as `FileRepository.insert`. */
export const writes: ReadonlyArray<string> = ports.flatMap(({ writes }) => writes)
