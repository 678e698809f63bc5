-- What the vector indexes of a space have of its vectors: null for all of them, BINARY for the signs of their numbers.
alter table space add column vector_quantization text
  constraint space_vector_quantization check (vector_quantization in ('BINARY'));
