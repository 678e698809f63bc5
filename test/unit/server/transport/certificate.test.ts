import 'reflect-metadata';

import { createPrivateKey, X509Certificate as NodeCertificate } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
} from '@peculiar/x509';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createSelfSignedCertificate,
  type SelfSignedCertificate,
} from '../../../../src/server/transport/certificate.ts';

const NOW = new Date('2026-05-04T03:02:01.987Z');
const HOSTNAMES = ['memory.example.com', 'localhost', '127.0.0.1', '::1', '2001:db8::5'];

describe('the generated certificate', () => {
  let pems: SelfSignedCertificate;
  let node: NodeCertificate;
  let parsed: X509Certificate;

  beforeAll(async () => {
    pems = await createSelfSignedCertificate(HOSTNAMES, NOW);
    node = new NodeCertificate(pems.certPem);
    parsed = new X509Certificate(pems.certPem);
  });

  it('is X.509 v3, self-signed with SHA256withRSA', () => {
    // The version stands in its explicit [0] tag right after the two outer sequence headers; 2 means v3.
    expect(node.raw.subarray(8, 13).toString('hex')).toBe('a003020102');
    expect(parsed.signatureAlgorithm).toMatchObject({ name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-256' } });
    expect(node.verify(node.publicKey)).toBe(true);
    expect(node.issuer).toBe(node.subject);
    expect(node.subject).toBe('CN=memory.example.com');
  });

  it('has an RSA key of 2048 bits, unencrypted in PKCS#8', () => {
    expect(node.publicKey.asymmetricKeyType).toBe('rsa');
    expect(node.publicKey.asymmetricKeyDetails).toEqual({ modulusLength: 2048, publicExponent: 65537n });
    expect(pems.keyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(node.checkPrivateKey(createPrivateKey(pems.keyPem))).toBe(true);
  });

  it('is valid for 365 days from 60 seconds ago', () => {
    expect(new Date(node.validFrom).toISOString()).toBe('2026-05-04T03:01:01.000Z');
    expect(new Date(node.validTo).toISOString()).toBe('2027-05-04T03:01:01.000Z');
  });

  it('names hosts and addresses, each by its kind', () => {
    expect(node.subjectAltName).toBe(
      'DNS:memory.example.com, DNS:localhost, IP Address:127.0.0.1, ' +
        'IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:0:5',
    );
    expect(parsed.getExtension(SubjectAlternativeNameExtension)?.critical).toBe(false);
    expect(node.checkIP('::1')).toBe('::1');
    expect(node.checkHost('localhost')).toBe('localhost');
    expect(node.checkHost('other.example.com')).toBeUndefined();
  });

  it('is no CA and for TLS servers only', () => {
    const constraints = parsed.getExtension(BasicConstraintsExtension);
    expect([node.ca, constraints?.ca, constraints?.critical]).toEqual([false, false, true]);
    const usage = parsed.getExtension(KeyUsagesExtension);
    expect(usage?.usages).toBe(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment);
    expect(usage?.critical).toBe(true);
    expect(parsed.getExtension(ExtendedKeyUsageExtension)?.usages).toEqual([ExtendedKeyUsage.serverAuth]);
    expect(parsed.extensions).toHaveLength(4);
  });
});

it('gives every certificate a positive random serial of 128 bits and a key of its own', async () => {
  const pems = await Promise.all(Array.from({ length: 8 }, () => createSelfSignedCertificate(['localhost'])));
  const nodes = pems.map(({ certPem }) => new NodeCertificate(certPem));
  // A serial taken for negative would be printed with a minus sign; one in 256 such runs has no serial with its top bit set.
  for (const { serialNumber } of nodes) expect(serialNumber).toMatch(/^[0-9A-F]{32}$/);
  expect(new Set(nodes.map(({ serialNumber }) => serialNumber)).size).toBe(8);
  expect(new Set(pems.map(({ keyPem }) => keyPem)).size).toBe(8);
});

it('cuts a common name that is too long, not the subject alternative name', async () => {
  const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.example.com`;
  const node = new NodeCertificate((await createSelfSignedCertificate([name])).certPem);
  expect(node.subject).toBe(`CN=${name.slice(0, 64)}`);
  expect(node.checkHost(name)).toBe(name);
});
