import { OcrService } from '../gen/service/v1/ocr_pb.ts';
import { operation } from './operation.ts';
import { posted } from './routes.ts';

const { method } = OcrService;

export const OCR_OPERATIONS = {
  ocrDocument: operation(method.ocrDocument, {
    auth: 'key',
    permission: 'OCR_DOCUMENT',
    mutates: false,
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: [],
    isLacking: true,
    rest: [posted('/v1/ocr:document')],
  }),
} as const;
