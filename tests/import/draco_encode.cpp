#include "draco_encode.h"

#include <draco/compression/encode.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

draco::DataType type_of(int component, size_t *size) {
    *size = component >= 5125 ? 4 : component >= 5122 ? 2 : 1;
    switch (component) {
    case 5120:
        return draco::DT_INT8;
    case 5121:
        return draco::DT_UINT8;
    case 5122:
        return draco::DT_INT16;
    case 5123:
        return draco::DT_UINT16;
    case 5125:
        return draco::DT_UINT32;
    default:
        return draco::DT_FLOAT32;
    }
}

void add_attribute(draco::Mesh *mesh, const draco_attribute &attribute, uint32_t vertex_count) {
    static const draco::GeometryAttribute::Type kinds[] = {
        draco::GeometryAttribute::POSITION, draco::GeometryAttribute::NORMAL, draco::GeometryAttribute::TEX_COORD,
        draco::GeometryAttribute::GENERIC};
    size_t size = 0;
    const draco::DataType type = type_of(attribute.component, &size);
    size *= static_cast<size_t>(attribute.width);
    draco::GeometryAttribute definition;
    definition.Init(kinds[attribute.kind], nullptr, static_cast<int8_t>(attribute.width), type, false,
                    static_cast<int64_t>(size), 0);
    const int id = mesh->AddAttribute(definition, true, vertex_count);
    for (uint32_t i = 0; i < vertex_count; i++) {
        mesh->attribute(id)->SetAttributeValue(draco::AttributeValueIndex(i),
                                               static_cast<const uint8_t *>(attribute.values) + i * size);
    }
}

} // namespace

size_t draco_encode(const draco_options *options, const draco_attribute *attributes, int attribute_count,
                    uint32_t vertex_count, const uint32_t *indices, uint32_t index_count, uint8_t *bytes, size_t room) {
    draco::Mesh mesh;
    mesh.set_num_points(vertex_count);
    for (int i = 0; i < attribute_count; i++) {
        add_attribute(&mesh, attributes[i], vertex_count);
    }
    for (uint32_t i = 0; i < index_count; i += 3) {
        mesh.AddFace(
            {draco::PointIndex(indices[i]), draco::PointIndex(indices[i + 1]), draco::PointIndex(indices[i + 2])});
    }
    if (options->has_metadata) {
        auto metadata = std::make_unique<draco::GeometryMetadata>();
        metadata->AddEntryString("name", "mesh");
        mesh.AddMetadata(std::move(metadata));
    }
    draco::Encoder encoder;
    encoder.SetEncodingMethod(options->is_edgebreaker ? draco::MESH_EDGEBREAKER_ENCODING
                                                      : draco::MESH_SEQUENTIAL_ENCODING);
    encoder.SetSpeedOptions(options->speed, options->speed);
    if (options->position_bits > 0) {
        encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, options->position_bits);
    }
    draco::EncoderBuffer buffer;
    if (!encoder.EncodeMeshToBuffer(mesh, &buffer).ok() || buffer.size() > room) {
        fprintf(stderr, "draco_encode failed\n");
        abort();
    }
    memcpy(bytes, buffer.data(), buffer.size());
    return buffer.size();
}
