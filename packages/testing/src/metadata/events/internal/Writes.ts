/**
 * One call of each repository method that writes an event, with the event that it writes.
 */
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { RemovalRepository } from "@holdfast/core/buckets/RemovalRepository"
import { CaptionRepository } from "@holdfast/core/captions/CaptionRepository"
import { PosterRepository } from "@holdfast/core/posters/PosterRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { EventRepository } from "@holdfast/core/events/EventRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { ShareRepository } from "@holdfast/core/files/shares/ShareRepository"
import { FolderRepository } from "@holdfast/core/folders/FolderRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { QuotaRepository } from "@holdfast/core/quotas/QuotaRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as CaptionFixtures from "../../captions/CaptionFixtures.ts"
import * as PosterFixtures from "../../posters/PosterFixtures.ts"
import * as ConversionFixtures from "../../conversions/internal/ConversionFixtures.ts"
import * as Fixtures from "../../Fixtures.ts"
import * as MirrorFixtures from "../../mirrors/MirrorFixtures.ts"
import * as Sample from "../../Sample.ts"
import * as ShareFixtures from "../../shares/ShareFixtures.ts"
import { webhookWrites } from "./WebhookWrites.ts"
import { type Write, write } from "./Write.ts"

const sweepAt = Sample.at(90_000)
const at = Sample.at(1)

const accountWrites: Readonly<Record<string, Write>> = {
  "AccountRepository.findOrCreate": write("account.created", function* () {
    const account = Sample.account()
    const accounts = yield* AccountRepository
    return { tenantId: null, id: account.id, name: account.email, change: accounts.findOrCreate(account) }
  }),
  "AccountRepository.putKey": write("account_key.created", function* () {
    const accounts = yield* AccountRepository
    const { id: accountId } = yield* accounts.findOrCreate(Sample.account())
    const key = Sample.accountKey()
    const change = accounts.putKey(accountId, key)
    return { tenantId: null, id: key.id, name: key.name, detail: { accountId }, change }
  }),
  "AccountRepository.revokeKey": write("account_key.revoked", function* () {
    const accounts = yield* AccountRepository
    const { id: accountId } = yield* accounts.findOrCreate(Sample.account())
    const key = yield* accounts.putKey(accountId, Sample.accountKey())
    return { tenantId: null, id: key.id, name: key.name, detail: { accountId }, change: accounts.revokeKey(key.id, at) }
  })
}

const tenantWrites: Readonly<Record<string, Write>> = {
  "TenantRepository.create": write("tenant.created", function* () {
    const tenant = Sample.tenant()
    const change = (yield* TenantRepository).create({ tenant })
    return { tenantId: tenant.id, id: tenant.id, name: tenant.name, change }
  }),
  "TenantRepository.update": write("tenant.updated", function* () {
    const tenantId = yield* Fixtures.tenant
    const change = (yield* TenantRepository).update({ tenantId, change: { name: "New" }, at })
    return { tenantId, id: tenantId, name: "New", detail: { fields: ["name"] }, change }
  }),
  "TenantRepository.remove": write("tenant.deleted", function* () {
    const { tenantId } = yield* Fixtures.bucket()
    const change = (yield* TenantRepository).remove({ tenantId, force: true, sweepAt })
    return { tenantId, id: tenantId, name: Sample.tenant().name, change }
  }),
  "QuotaRepository.change": write("quota.changed", function* () {
    const tenantId = yield* Fixtures.tenant
    const change = (yield* QuotaRepository).change({ tenantId, change: { bytes: 10, files: null } })
    const detail = { former: {}, limits: { bytes: 10, files: null } }
    return { tenantId, id: tenantId, name: Sample.tenant().name, detail, change }
  }),
  "EventRepository.recordRefusal": write("request.refused", function* () {
    const tenantId = yield* Fixtures.tenant
    const detail = { reason: "forbidden", permission: "file:write", count: 3 }
    const change = (yield* EventRepository).recordRefusal({ tenantId, detail })
    return { tenantId, id: tenantId, name: Sample.tenant().name, detail, change }
  })
}

const memberDetail = { role: "role_admin", status: "ACTIVE" }

const memberWrites: Readonly<Record<string, Write>> = {
  "MemberRepository.add": write("member.created", function* () {
    const tenantId = yield* Fixtures.tenant
    const member = { ...Sample.member(), status: "INVITED" as const }
    const change = (yield* MemberRepository).add(tenantId, member)
    const detail = { ...memberDetail, status: "INVITED" }
    return { tenantId, id: member.id, name: member.user.email, detail, change }
  }),
  "MemberRepository.accept": write("member.accepted", function* () {
    const tenantId = yield* Fixtures.tenant
    const account = yield* (yield* AccountRepository).findOrCreate(Sample.account())
    const members = yield* MemberRepository
    const invited = { ...Sample.member("role_admin", Sample.account(account.email)), status: "INVITED" as const }
    yield* members.add(tenantId, invited)
    const change = members.accept({ tenantId, account, at })
    return { tenantId, id: invited.id, name: account.email, detail: memberDetail, change }
  }),
  "MemberRepository.changeRole": write("member.updated", function* () {
    const tenantId = yield* Fixtures.tenant
    yield* Fixtures.member(tenantId)
    const { id, user } = yield* Fixtures.member(tenantId)
    const role = "role_file_reader"
    const change = (yield* MemberRepository).changeRole({ ...Fixtures.removal(tenantId, id), role })
    return { tenantId, id, name: user.email, detail: { ...memberDetail, role }, change }
  }),
  "MemberRepository.remove": write("member.deleted", function* () {
    const tenantId = yield* Fixtures.tenant
    yield* Fixtures.member(tenantId)
    const { id, user } = yield* Fixtures.member(tenantId)
    const change = (yield* MemberRepository).remove(Fixtures.removal(tenantId, id))
    return { tenantId, id, name: user.email, detail: memberDetail, change }
  }),
  "TokenRepository.create": write("token.created", function* () {
    const tenantId = yield* Fixtures.tenant
    const member = yield* Fixtures.member(tenantId)
    const token = { ...Sample.token(member.id), expiresAt: null }
    const change = (yield* TokenRepository).create({ tenantId, token, hash: Sample.hash() })
    return { tenantId, id: token.id, name: token.name, detail: { memberId: member.id, expiresAt: null }, change }
  }),
  "TokenRepository.revoke": write("token.revoked", function* () {
    const tenantId = yield* Fixtures.tenant
    const token = Sample.token((yield* Fixtures.member(tenantId)).id)
    const tokens = yield* TokenRepository
    yield* tokens.create({ tenantId, token, hash: Sample.hash() })
    const change = tokens.revoke({ tenantId, tokenId: token.id, at })
    return { tenantId, id: token.id, name: token.name, change }
  }),
  "TokenRepository.putS3Secret": write("token.s3_credentials_created", function* () {
    const tenantId = yield* Fixtures.tenant
    const token = Sample.token((yield* Fixtures.member(tenantId)).id)
    const tokens = yield* TokenRepository
    yield* tokens.create({ tenantId, token, hash: Sample.hash() })
    const change = tokens.putS3Secret({ tenantId, tokenId: token.id, sealed: "sealed", at })
    return { tenantId, id: token.id, name: token.name, change }
  }),
  "TokenRepository.removeS3Secret": write("token.s3_credentials_revoked", function* () {
    const tenantId = yield* Fixtures.tenant
    const token = Sample.token((yield* Fixtures.member(tenantId)).id)
    const tokens = yield* TokenRepository
    yield* tokens.create({ tenantId, token, hash: Sample.hash() })
    yield* tokens.putS3Secret({ tenantId, tokenId: token.id, sealed: "sealed", at })
    const change = tokens.removeS3Secret({ tenantId, tokenId: token.id })
    return { tenantId, id: token.id, name: token.name, change }
  })
}

const bucketWrites: Readonly<Record<string, Write>> = {
  "BucketRepository.create": write("bucket.created", function* () {
    const tenantId = yield* Fixtures.tenant
    const { id, ...bucket } = Sample.bucket()
    const change = (yield* BucketRepository).create(tenantId, { id, ...bucket })
    return { tenantId, bucketId: id, id, name: bucket.name, change }
  }),
  "BucketRepository.update": write("bucket.updated", function* () {
    const bucket = yield* Fixtures.bucket()
    const change = (yield* BucketRepository).update({ bucket, change: { name: "new" }, at })
    return { ...bucket, id: bucket.bucketId, name: "new", detail: { fields: ["name"] }, change }
  }),
  "BucketRepository.remove": write("bucket.deleted", function* () {
    const tenantId = yield* Fixtures.tenant
    const { id, ...stored } = Sample.bucket()
    const buckets = yield* BucketRepository
    yield* buckets.create(tenantId, { id, ...stored })
    const bucket = { tenantId, bucketId: id }
    yield* Fixtures.store(bucket)
    const change = buckets.remove({ bucket, force: true, sweepAt })
    return { ...bucket, id, name: stored.name, detail: { files: 1 }, change }
  }),
  "RemovalRepository.step": write("bucket.cleared", function* () {
    const bucket = yield* Fixtures.bucket()
    yield* Effect.forEach(Array.from({ length: 501 }), () => Fixtures.reserve(bucket), { concurrency: 8 })
    yield* (yield* BucketRepository).remove({ bucket, force: true, sweepAt })
    const removals = yield* RemovalRepository
    const leaseUntil = Sample.at(60_000)
    let found = yield* removals.claim({ lease: "events", leaseUntil, now: at })
    while (Option.isSome(found) && found.value.id !== bucket.bucketId) {
      found = yield* removals.claim({ lease: "events", leaseUntil, now: at })
    }
    const claim = yield* Effect.fromOption(found)
    yield* removals.step({ claim, limit: 1000, leaseUntil })
    const change = removals.step({ claim: { ...claim, deleted: 501 }, limit: 1000, leaseUntil })
    return { ...bucket, id: bucket.bucketId, name: null, detail: { rows: 501 }, change }
  })
}

const fileWrites: Readonly<Record<string, Write>> = {
  "FileRepository.insert": write("file.created", function* () {
    const bucket = yield* Fixtures.bucket()
    const content = Sample.content(yield* Fixtures.stage(bucket))
    const file = Sample.file({ path: "/a/", name: "b", version: 1, content })
    const change = (yield* FileRepository).insert(bucket, file)
    const detail = { version: 1, size: content.size, etag: content.etag }
    return { ...bucket, id: file.id, name: "/a/b", detail, change }
  }),
  "FileRepository.replaceContent": write("content.replaced", function* () {
    const bucket = yield* Fixtures.bucket()
    const { id, name } = yield* Fixtures.store(bucket)
    const content = Sample.content(yield* Fixtures.stage(bucket))
    const replacement = { bucket, fileId: id, content, condition: {}, sweepAt }
    const change = (yield* FileRepository).replaceContent(replacement)
    const detail = { version: 2, size: content.size, etag: content.etag }
    return { ...bucket, id, name: `/${name}`, detail, change }
  }),
  "FileRepository.update": write("file.updated", function* () {
    const bucket = yield* Fixtures.bucket()
    const { id } = yield* Fixtures.store(bucket)
    const update = { bucket, selector: Fixtures.byId(id), change: { name: "new", metadata: { secret: 1 } }, at }
    const change = (yield* FileRepository).update(update)
    return { ...bucket, id, name: "/new", detail: { fields: ["name", "metadata"] }, change }
  }),
  "FileRepository.updateMetadata": write("file.updated", function* () {
    const bucket = yield* Fixtures.bucket()
    const { id, name } = yield* Fixtures.store(bucket)
    const change = (yield* FileRepository).updateMetadata({
      bucket,
      selector: Fixtures.byId(id),
      change: () => Result.succeed({ secret: 1 }),
      at
    })
    return { ...bucket, id, name: `/${name}`, detail: { fields: ["metadata"] }, change }
  }),
  "FileRepository.updateHeaders": write("header.updated", function* () {
    const bucket = yield* Fixtures.bucket()
    const kept = { name: "X-Kept", value: "1" }
    const headers = [kept, { name: "X-Changed", value: "2" }, { name: "X-Gone", value: "3" }]
    const { id, name } = yield* Fixtures.reserve(bucket, { headers })
    const next = [kept, { name: "x-changed", value: "4" }]
    const update = { bucket, selector: Fixtures.byId(id), change: () => Result.succeed(next), at }
    const change = (yield* FileRepository).updateHeaders(update)
    return { ...bucket, id, name: `/${name}`, detail: { set: ["x-changed"], removed: ["X-Gone"] }, change }
  }),
  "FileRepository.remove": write("file.deleted", function* () {
    const bucket = yield* Fixtures.bucket()
    const { id, name } = yield* Fixtures.store(bucket)
    const removal = { bucket, selector: Fixtures.byId(id), condition: {}, sweepAt }
    const change = (yield* FileRepository).remove(removal)
    return { ...bucket, id, name: `/${name}`, detail: { version: 1 }, change }
  }),
  "FileRepository.removeMany": write("file.deleted", function* () {
    const bucket = yield* Fixtures.bucket()
    const { id, name } = yield* Fixtures.store(bucket)
    const change = (yield* FileRepository).removeMany({ bucket, fileIds: [id], sweepAt })
    return { ...bucket, id, name: `/${name}`, detail: { version: 1 }, change }
  }),
  "FolderRepository.start": write("file.deleted", function* () {
    const bucket = yield* Fixtures.bucket()
    const { id, name } = yield* Fixtures.store(bucket)
    const change = (yield* FolderRepository).start(Sample.folderRemoval(bucket, "/"))
    return { ...bucket, id, name: `/${name}`, detail: { version: 1 }, change }
  }),
  "FolderRepository.step": write("file.deleted", function* () {
    const bucket = yield* Fixtures.bucket()
    const path = "/large/"
    yield* Effect.forEach(Array.from({ length: 501 }), () => Fixtures.reserve(bucket, { path }), { concurrency: 8 })
    const folders = yield* FolderRepository
    const { id: jobId } = yield* folders.start({ ...Sample.folderRemoval(bucket, path), at: Sample.at(10) })
    const leaseUntil = Sample.at(60_000)
    let found = yield* folders.claim({ lease: "events", leaseUntil, now: at })
    while (Option.isSome(found) && found.value.id !== jobId) {
      found = yield* folders.claim({ lease: "events", leaseUntil, now: at })
    }
    const claim = yield* Effect.fromOption(found)
    const [file] = (yield* (yield* FileRepository).list({ bucket, query: { path, recursive: false }, limit: 1 })).files
    const change = folders.step({ claim, limit: 1, leaseUntil, suffix: "", at, sweepAt })
    return { ...bucket, id: file?.id ?? "", name: `${path}${file?.name}`, detail: { version: 0 }, change }
  }),
  "FileRepository.move": write("file.updated", function* () {
    const bucket = yield* Fixtures.bucket()
    const { id, name } = yield* Fixtures.store(bucket)
    const conflict = { onConflict: "fail" as const, suffix: "x" }
    const change = (yield* FileRepository).move({ bucket, fileIds: [id], to: { path: "/to/" }, conflict, at, sweepAt })
    return { ...bucket, id, name: `/to/${name}`, detail: { fields: ["path"], from: `/${name}` }, change }
  })
}

const conversionWrites: Readonly<Record<string, Write>> = {
  "ConversionRepository.request": write("stream.requested", function* () {
    const video = yield* ConversionFixtures.video
    const request = ConversionFixtures.requestOf(video)
    const change = (yield* ConversionRepository).request(request)
    const detail = { fileId: video.file.id, format: "hls", mode: "auto" }
    return { ...video.bucket, id: request.id, name: "hls", detail, change }
  }),
  "ConversionRepository.remove": write("stream.deleted", function* () {
    const { bucket, file, source, claim } = yield* ConversionFixtures.claimed()
    const removal = { bucket, blobId: source.blobId, format: "hls" as const, sweepAt }
    const change = (yield* ConversionRepository).remove(removal)
    return { ...bucket, id: claim.conversionId, name: "hls", detail: { fileId: file.id, format: "hls" }, change }
  }),
  "ConversionRepository.replaceDamaged": write("stream.requested", function* () {
    const { bucket, file, claim } = yield* ConversionFixtures.claimed()
    const blobId = yield* ConversionFixtures.publish(claim, ["a.ts"], { isFinished: true }).pipe(
      Effect.map(([segment]) => segment?.blobId ?? "")
    )
    const id = Sample.id("cnv")
    const change = (yield* ConversionRepository).replaceDamaged({
      blobId,
      id,
      sharerId: Sample.id("cnv"),
      now: at,
      sweepAt
    })
    return { ...bucket, id, name: "hls", detail: { fileId: file.id, format: "hls", mode: "auto" }, change }
  }),
  "ConversionRepository.publish": write("stream.ready", function* () {
    const { bucket, file, claim } = yield* ConversionFixtures.claimed()
    const change = ConversionFixtures.publish(claim, ["a.ts"], { isFinished: true })
    return { ...bucket, id: claim.conversionId, name: "hls", detail: { fileId: file.id, format: "hls" }, change }
  }),
  "ConversionRepository.fail": write("stream.failed", function* () {
    const { bucket, file, claim } = yield* ConversionFixtures.claimed()
    const fault = { code: "internal", detail: "Words of the converter." } as const
    const change = (yield* ConversionRepository).fail(claim, { fault, now: at, sweepAt })
    const detail = { fileId: file.id, format: "hls", code: "internal" }
    return { ...bucket, id: claim.conversionId, name: "hls", detail, change }
  })
}

const captionWrites: Readonly<Record<string, Write>> = {
  "CaptionRepository.attach": write("captions.created", function* () {
    const captions = CaptionFixtures.newCaptions(yield* ConversionFixtures.video)
    const change = (yield* CaptionRepository).attach(captions)
    const detail = { fileId: captions.fileId, language: "de" }
    return { ...captions.bucket, id: captions.id, name: "Deutsch", detail, change }
  }),
  "CaptionRepository.remove": write("captions.deleted", function* () {
    const captions = CaptionFixtures.newCaptions(yield* ConversionFixtures.video)
    const repository = yield* CaptionRepository
    yield* repository.attach(captions)
    const detail = { fileId: captions.fileId, language: "de" }
    return { ...captions.bucket, id: captions.id, name: "Deutsch", detail, change: repository.remove(captions) }
  })
}

const posterWrites: Readonly<Record<string, Write>> = {
  "PosterRepository.set": write("poster.updated", function* () {
    const video = yield* ConversionFixtures.video
    const poster = PosterFixtures.newPoster(video)
    const change = (yield* PosterRepository).set(poster)
    const name = `${video.file.path}${video.file.name}`
    return { ...video.bucket, id: video.file.id, name, detail: { time: null }, change }
  }),
  "PosterRepository.remove": write("poster.deleted", function* () {
    const video = yield* ConversionFixtures.video
    const poster = PosterFixtures.newPoster(video)
    const repository = yield* PosterRepository
    yield* repository.set(poster)
    const name = `${video.file.path}${video.file.name}`
    return { ...video.bucket, id: video.file.id, name, detail: { time: null }, change: repository.remove(poster) }
  })
}

const mirrorWrites: Readonly<Record<string, Write>> = {
  "MirrorRepository.create": write("mirror.created", function* () {
    const bucket = yield* Fixtures.bucket()
    const mirror = MirrorFixtures.newMirror(bucket)
    const change = (yield* MirrorRepository).create(mirror)
    return { ...bucket, id: mirror.id, name: mirror.name, detail: { type: "S3" }, change }
  }),
  "MirrorRepository.update": write("mirror.updated", function* () {
    const { bucket, mirror, ref } = yield* MirrorFixtures.create()
    const update = { mirror: ref, change: { name: "New", paused: undefined }, now: at }
    const change = (yield* MirrorRepository).update(update)
    return { ...bucket, id: mirror.id, name: "New", detail: { fields: ["name"] }, change }
  }),
  "MirrorRepository.remove": write("mirror.deleted", function* () {
    const { bucket, mirror, ref } = yield* MirrorFixtures.create()
    return { ...bucket, id: mirror.id, name: mirror.name, change: (yield* MirrorRepository).remove(ref) }
  }),
  "MirrorRepository.requestSync": write("mirror.requested", function* () {
    const { bucket, mirror, ref } = yield* MirrorFixtures.create()
    return { ...bucket, id: mirror.id, name: mirror.name, change: (yield* MirrorRepository).requestSync(ref, at) }
  }),
  "MirrorTaskRepository.fail": write("mirror.failing", function* () {
    const { bucket, mirror } = yield* MirrorFixtures.create()
    const change = MirrorFixtures.fail(mirror, "Words of the target.", { now: 1, retryAt: 2 })
    return { ...bucket, id: mirror.id, name: mirror.name, change }
  }),
  "MirrorTaskRepository.recover": write("mirror.recovered", function* () {
    const { bucket, mirror } = yield* MirrorFixtures.create()
    yield* MirrorFixtures.fail(mirror, "Words of the target.", { now: 1, retryAt: 2 })
    const change = (yield* MirrorTaskRepository).recover({ mirrorId: mirror.id, now: at })
    return { ...bucket, id: mirror.id, name: mirror.name, change }
  })
}

const shareWrites: Readonly<Record<string, Write>> = {
  "ShareRepository.create": write("share.created", function* () {
    const bucket = yield* Fixtures.bucket()
    const share = ShareFixtures.newShare(bucket)
    const change = (yield* ShareRepository).create({ share, hash: Sample.hash() })
    const detail = { path: "/", may: ["view"], expiresAt: null, hasPassword: false }
    return { ...bucket, id: share.id, name: share.name, detail, change }
  }),
  "ShareRepository.update": write("share.updated", function* () {
    const bucket = yield* Fixtures.bucket()
    const { ref, share } = yield* ShareFixtures.create(bucket)
    const change = (yield* ShareRepository).update({ share: ref, change: { name: "New" }, at })
    return { ...bucket, id: share.id, name: "New", detail: { fields: ["name"] }, change }
  }),
  "ShareRepository.deleteExpired": write("share.deleted", function* () {
    const bucket = yield* Fixtures.bucket()
    const expiresAt = DateTime.subtract(Sample.at(), { days: 1 })
    const { share } = yield* ShareFixtures.create(bucket, { expiresAt })
    const before = DateTime.add(expiresAt, { seconds: 1 })
    const change = (yield* ShareRepository).deleteExpired({ before, limit: 10 })
    const detail = { expiresAt: DateTime.formatIso(expiresAt) }
    return { ...bucket, id: share.id, name: share.name, detail, change }
  }),
  "ShareRepository.remove": write("share.deleted", function* () {
    const bucket = yield* Fixtures.bucket()
    const { ref, share } = yield* ShareFixtures.create(bucket)
    return { ...bucket, id: share.id, name: share.name, change: (yield* ShareRepository).remove(ref) }
  })
}

export const writes: Readonly<Record<string, Write>> = {
  ...accountWrites,
  ...tenantWrites,
  ...memberWrites,
  ...bucketWrites,
  ...fileWrites,
  ...conversionWrites,
  ...captionWrites,
  ...posterWrites,
  ...mirrorWrites,
  ...shareWrites,
  ...webhookWrites
}
